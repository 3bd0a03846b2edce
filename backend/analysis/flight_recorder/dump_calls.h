// DumpCalls turns the calls of a dump into definitions, the same only once.

#pragma once

#include <cstdint>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "analysis/flight_recorder/dump.h"
#include "traced/v1/trace.pb.h"

namespace traced {

// Where an entry's group stands, and who is in it.
struct DumpGroupRef {
  std::uint32_t id = 0;
  // nullptr when the dump does not name the members.
  const DumpGroup* group = nullptr;
  // Group ranks are global ranks.
  bool is_world = false;
};

// Not thread safe. The payload must outlive it.
class DumpCalls {
 public:
  // `dump_bytes` bounds how much is read of lists that are named repeatedly.
  DumpCalls(v1::Payload& payload, std::uint64_t dump_bytes)
      : payload_(payload), budget_(kWorkPerByte * dump_bytes) {}

  // The id of the call that an entry is about.
  std::uint32_t add(const DumpEntry& entry, const DumpGroupRef& group);

 private:
  static constexpr std::uint64_t kWorkPerByte = 16;

  struct Tensors {
    std::uint32_t count = 0;
    std::uint32_t cut = 0;
    std::uint64_t bytes = 0;
  };
  using Runs = google::protobuf::RepeatedPtrField<v1::TensorRun>;

  Tensors addTensors(Value sizes, Value dtypes, Runs& runs);
  bool describe(Value shape, Value dtype_name, v1::TensorRun& run,
                std::uint64_t& bytes);

  v1::Payload& payload_;
  std::uint64_t budget_;
  absl::flat_hash_map<std::string, std::uint32_t> id_by_call_;
};

}  // namespace traced
