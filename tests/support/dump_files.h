// Creates Flight Recorder dumps for tests, as JSON and as pickle.

#pragma once

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

namespace traced::testing {

using Json = nlohmann::json;

inline std::string littleEndian(std::uint64_t number, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    text.push_back(static_cast<char>(number >> (8 * i)));
  }
  return text;
}

inline void appendPickle(std::string& out, const Json& value);

inline void appendMembers(std::string& out, const Json& value, char opcode) {
  out += '(';
  for (const auto& [key, member] : value.items()) {
    if (value.is_object()) appendPickle(out, key);
    appendPickle(out, member);
  }
  out += opcode;
}

inline void appendPickle(std::string& out, const Json& value) {
  if (value.is_null()) {
    out += 'N';
  } else if (value.is_boolean()) {
    out += value.get<bool>() ? '\x88' : '\x89';
  } else if (value.is_number_integer()) {
    out +=
        std::string("\x8a\x08") +
        littleEndian(static_cast<std::uint64_t>(value.get<std::int64_t>()), 8);
  } else if (value.is_number()) {
    const std::string bits =
        littleEndian(std::bit_cast<std::uint64_t>(value.get<double>()), 8);
    out += 'G' + std::string(bits.rbegin(), bits.rend());
  } else if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    out += 'X' + littleEndian(text.size(), 4) + text;
  } else if (value.is_array()) {
    out += ']';
    appendMembers(out, value, 'e');
  } else {
    out += '}';
    appendMembers(out, value, 'u');
  }
}

// Pickles a value with protocol 2, as torch does.
inline std::string pickleOf(const Json& value) {
  std::string out = "\x80\x02";
  appendPickle(out, value);
  return out + '.';
}

constexpr std::int64_t kDumpBeginNs = 1'700'000'000'000'000'000;

// Returns entry `id` of a dump with the keys that all versions since 2.4 have:
// an all_reduce of 16 floats that has not ended.
inline Json dumpEntry(std::uint64_t id) {
  return {{"record_id", id},
          {"pg_id", 0},
          {"process_group", {"0", "default_pg"}},
          {"collective_seq_id", id + 1},
          {"p2p_seq_id", 0},
          {"op_id", id + 1},
          {"profiling_name", "nccl:all_reduce"},
          {"time_created_ns", kDumpBeginNs + static_cast<std::int64_t>(id)},
          {"input_sizes", {{16}}},
          {"input_dtypes", {"Float"}},
          {"output_sizes", {{16}}},
          {"output_dtypes", {"Float"}},
          {"state", "scheduled"},
          {"time_discovered_started_ns", nullptr},
          {"time_discovered_completed_ns", nullptr},
          {"retired", false},
          {"timeout_ms", 600000},
          {"is_p2p", false}};
}

// Returns a dump of NCCL's recorder for two ranks, without entries.
inline Json emptyDump(const std::string& version) {
  return {
      {"version", version},
      {"pg_config",
       {{"0", {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1]"}}}}},
      {"pg_status", Json::object()},
      {"entries", Json::array()}};
}

}  // namespace traced::testing
