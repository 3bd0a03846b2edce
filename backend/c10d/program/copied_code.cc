#include "c10d/program/copied_code.h"

#include <utility>

#include "c10d/program/own_memory.h"
#include "c10d/program/python_code.h"

namespace traced {
namespace {

// Longer strings and line tables are refused: a bad address may lead to any
// length.
constexpr Py_ssize_t kMaxBytes = Py_ssize_t{1} << 20;
constexpr Py_ssize_t kMaxText = Py_ssize_t{1} << 16;

using Bytes = std::unique_ptr<std::byte[]>;

// Copies `bytes` bytes of an object. Returns nullptr on failure.
Bytes copyOf(const PyObject* address, std::size_t bytes) {
  Bytes copy(new std::byte[bytes]);
  if (!copyMemory(address, copy.get(), bytes)) return nullptr;
  return copy;
}

// Returns the bytes of a string with its header; 0 if it is no string or is too
// long.
std::size_t sizeOf(const PyASCIIObject& text) {
  const unsigned kind = text.state.kind;
  const bool is_string = text.ob_base.ob_type == &PyUnicode_Type &&
                         text.state.compact &&
                         (kind == 1 || kind == 2 || kind == 4);
  if (!is_string || text.length < 0 || text.length > kMaxText) return 0;
  const std::size_t head =
      text.state.ascii ? sizeof(PyASCIIObject) : sizeof(PyCompactUnicodeObject);
  return head + (static_cast<std::size_t>(text.length) + 1) * kind;
}

// Copies a string with its header.
Bytes copyString(const PyObject* address) {
  PyASCIIObject head;
  if (!copyMemory(address, &head, sizeof head)) return nullptr;
  const std::size_t size = sizeOf(head);
  Bytes copy = size > 0 ? copyOf(address, size) : nullptr;
  // Another string may have replaced it since its header was read.
  const bool same =
      copy && sizeOf(*reinterpret_cast<PyASCIIObject*>(copy.get())) == size;
  return same ? std::move(copy) : nullptr;
}

Bytes copyBytes(const PyObject* address) {
  PyBytesObject head;
  if (!copyMemory(address, &head, sizeof head) ||
      head.ob_base.ob_base.ob_type != &PyBytes_Type ||
      head.ob_base.ob_size < 0 || head.ob_base.ob_size > kMaxBytes) {
    return nullptr;
  }
  const Py_ssize_t size = head.ob_base.ob_size;
  Bytes copy = copyOf(address, offsetof(PyBytesObject, ob_sval) +
                                   static_cast<std::size_t>(size) + 1);
  const bool same =
      copy && reinterpret_cast<PyVarObject*>(copy.get())->ob_size == size;
  return same ? std::move(copy) : nullptr;
}

// Replaces `object` by its copy.
bool replace(PyObject*& object, Bytes& by, Bytes copy) {
  by = std::move(copy);
  object = reinterpret_cast<PyObject*>(by.get());
  return object != nullptr;
}

}  // namespace

bool CopiedCode::copy(const PyCodeObject* address) {
  if (!copyObject(address, code_) ||
      Py_TYPE(reinterpret_cast<PyObject*>(&code_)) != &PyCode_Type) {
    return false;
  }
  PyObject*& name = qualifiedNameOf(code_);
  return replace(code_.co_filename, file_, copyString(code_.co_filename)) &&
         replace(name, name_, copyString(name)) &&
         replace(code_.co_linetable, lines_, copyBytes(code_.co_linetable));
}

std::string copiedText(const PyObject* address, std::size_t most) {
  const Bytes copy = copyString(address);
  return copy ? beginningOf(reinterpret_cast<PyObject*>(copy.get()), most) : "";
}

}  // namespace traced
