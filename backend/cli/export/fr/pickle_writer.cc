#include "cli/export/fr/pickle_writer.h"

#include <bit>
#include <cstdint>

#include "analysis/flight_recorder/pickle_opcodes.h"

namespace traced::fr {
namespace {

void append(std::string& out, PickleOpcode opcode) {
  out += static_cast<char>(opcode);
}

void appendLittleEndian(std::string& out, std::uint64_t number, int bytes) {
  for (int i = 0; i < bytes; ++i) {
    out += static_cast<char>(number >> (8 * i));
  }
}

void appendDouble(std::string& out, double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  append(out, PickleOpcode::kBinFloat);
  for (int i = 7; i >= 0; --i) out += static_cast<char>(bits >> (8 * i));
}

void appendInteger(std::string& out, std::int64_t number) {
  append(out, PickleOpcode::kLong1);
  out += '\x08';
  appendLittleEndian(out, static_cast<std::uint64_t>(number), 8);
}

void appendText(std::string& out, const std::string& text) {
  append(out, PickleOpcode::kBinUnicode);
  appendLittleEndian(out, text.size(), 4);
  out += text;
}

}  // namespace

void appendPickled(std::string& out, const Json& value) {
  if (value.is_boolean()) {
    append(out, value ? PickleOpcode::kTrue : PickleOpcode::kFalse);
  } else if (value.is_number_integer()) {
    appendInteger(out, value.get<std::int64_t>());
  } else if (value.is_number()) {
    appendDouble(out, value.get<double>());
  } else if (value.is_string()) {
    appendText(out, value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    const bool is_dict = value.is_object();
    append(out, is_dict ? PickleOpcode::kEmptyDict : PickleOpcode::kEmptyList);
    append(out, PickleOpcode::kMark);
    for (const auto& [key, member] : value.items()) {
      if (is_dict) appendText(out, key);
      appendPickled(out, member);
    }
    append(out, is_dict ? PickleOpcode::kSetItems : PickleOpcode::kAppends);
  } else {
    append(out, PickleOpcode::kNone);
  }
}

}  // namespace traced::fr
