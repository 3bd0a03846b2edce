#include "c10d/program/python_code.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "c10d/program/python_frames.h"

namespace traced {
namespace {

// Iterates over the bytes of a line table. Yields 0 after the end.
class TableBytes {
 public:
  explicit TableBytes(PyObject* table)
      : at_(reinterpret_cast<const std::uint8_t*>(PyBytes_AS_STRING(table))),
        end_(at_ + PyBytes_GET_SIZE(table)) {}

  bool empty() const { return at_ == end_; }
  std::uint8_t take() { return empty() ? 0 : *at_++; }
  // Skips to the next byte whose highest bit is set.
  void skipToNextEntry() {
    while (!empty() && *at_ < 0x80) ++at_;
  }
  // Reads a number in 6-bit pieces, lowest first. The lowest bit is the sign.
  int takeSigned() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 32; shift += 6) {
      const std::uint8_t piece = take();
      value |= static_cast<std::uint32_t>(piece & 0x3f) << shift;
      if (!(piece & 0x40)) break;
    }
    const int amount = static_cast<int>(value >> 1);
    return value & 1 ? -amount : amount;
  }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* end_;
};

#if PY_VERSION_HEX < 0x030b0000

// PEP 626: pairs of a byte count and a line delta. A delta of -128 means no
// line.
int lineIn(TableBytes table, std::int64_t line, int instruction) {
  for (int begin = 0; !table.empty();) {
    begin += table.take();
    const auto lines = static_cast<std::int8_t>(table.take());
    if (lines != -128) line += lines;
    if (begin > instruction) return lines == -128 ? 0 : static_cast<int>(line);
  }
  return 0;
}

#else

// Format: CPython's InternalDocs on location tables. An entry starts with a
// byte whose highest bit is set, followed by a 4-bit kind and a 3-bit length.
// The payload depends on the kind, and only the line delta matters here.
int lineIn(TableBytes table, std::int64_t line, int instruction) {
  constexpr int kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15;
  for (int begin = 0; !table.empty();) {
    const std::uint8_t head = table.take();
    const int kind = (head >> 3) & 15;
    if (kind == kNoColumns || kind == kLong) {
      line += table.takeSigned();
    } else if (kind >= kOneLine && kind < kNoColumns) {
      line += kind - kOneLine;
    }
    begin += ((head & 7) + 1) * kInstructionBytes;
    if (begin > instruction) return kind == kNone ? 0 : static_cast<int>(line);
    table.skipToNextEntry();
  }
  return 0;
}

#endif

void append(std::string& text, Py_UCS4 point) {
  const auto add = [&text](Py_UCS4 byte) {
    text.push_back(static_cast<char>(byte));
  };
  if (point < 0x80) {
    add(point);
  } else if (point < 0x800) {
    add(0xc0 | point >> 6);
    add(0x80 | (point & 0x3f));
  } else if (point >= 0xd800 && point < 0xe000) {
    add('?');  // a lone surrogate: replaces a byte that is not UTF-8
  } else if (point > 0x10ffff) {
    add('?');  // a copy of a string that another thread was replacing
  } else if (point < 0x10000) {
    add(0xe0 | point >> 12);
    add(0x80 | (point >> 6 & 0x3f));
    add(0x80 | (point & 0x3f));
  } else {
    add(0xf0 | point >> 18);
    add(0x80 | (point >> 12 & 0x3f));
    add(0x80 | (point >> 6 & 0x3f));
    add(0x80 | (point & 0x3f));
  }
}

// Returns the code points [begin, end) as UTF-8.
std::string textOf(PyObject* text, Py_ssize_t begin, Py_ssize_t end) {
  const auto kind = static_cast<int>(PyUnicode_KIND(text));
  const void* const data = PyUnicode_DATA(text);
  std::string utf8;
  for (Py_ssize_t i = begin; i < end; ++i) {
    append(utf8, PyUnicode_READ(kind, data, i));
  }
  return utf8;
}

bool isTail(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

}  // namespace

int lineAt(const PyCodeObject& code, int instruction) {
  if (instruction < 0) return code.co_firstlineno;
  return lineIn(TableBytes(code.co_linetable), code.co_firstlineno,
                instruction);
}

std::string functionOf(const PyCodeObject& code, std::size_t most) {
  return beginningOf(qualifiedNameOf(code), most);
}

std::string beginningOf(PyObject* text, std::size_t most) {
  const auto points =
      std::min(PyUnicode_GET_LENGTH(text), static_cast<Py_ssize_t>(most));
  std::string utf8 = textOf(text, 0, points);
  if (utf8.size() <= most) return utf8;
  while (isTail(utf8[most])) --most;
  utf8.resize(most);
  return utf8;
}

std::string fileOf(const PyCodeObject& code, std::size_t most) {
  PyObject* const name = code.co_filename;
  const Py_ssize_t points = PyUnicode_GET_LENGTH(name);
  const Py_ssize_t first =
      std::max<Py_ssize_t>(0, points - static_cast<Py_ssize_t>(most));
  std::string text = textOf(name, first, points);
  if (text.size() <= most) return text;
  std::size_t begin = text.size() - most;
  while (begin < text.size() && isTail(text[begin])) ++begin;
  return text.substr(begin);
}

bool isInFile(const PyCodeObject& code, std::string_view beginning) noexcept {
  PyObject* const name = code.co_filename;
  const auto points = static_cast<std::size_t>(PyUnicode_GET_LENGTH(name));
  if (PyUnicode_IS_COMPACT_ASCII(name)) {
    return points >= beginning.size() &&
           std::memcmp(PyUnicode_DATA(name), beginning.data(),
                       beginning.size()) == 0;
  }
  // Compares code points one by one, without allocating a copy of the name.
  std::size_t at = 0;
  std::string utf8;
  for (std::size_t i = 0; i < points && at < beginning.size(); ++i) {
    utf8.clear();
    append(utf8, PyUnicode_READ_CHAR(name, i));
    if (beginning.substr(at, utf8.size()) != utf8) return false;
    at += utf8.size();
  }
  return at >= beginning.size();
}

}  // namespace traced
