// DdpBuild recognises the collectives by which DistributedDataParallel sets up
// a model in a group: it gathers the number of parameters, broadcasts their
// shapes, and broadcasts the parameters.

#pragma once

#include <cstdint>

#include "analysis/job/signature.h"

namespace traced {

class DdpBuild {
 public:
  // Adds the next collective of the group. Returns whether it may belong to a
  // set-up.
  bool add(const Signature& call) {
    const bool is_of_integers = call.dtype == v1::DTYPE_INT64;
    if (call.op == v1::OPERATION_ALL_GATHER && is_of_integers &&
        call.bytes_in == sizeof(std::int64_t)) {
      part_ = Part::kCounts;
      return true;
    }
    if (call.op != v1::OPERATION_BROADCAST || part_ == Part::kNone) {
      part_ = Part::kNone;
      return false;
    }
    if (is_of_integers && part_ == Part::kCounts) {
      part_ = Part::kShapes;
      return true;
    }
    if (part_ == Part::kCounts) {
      part_ = Part::kNone;
      return false;
    }
    part_ = Part::kParameters;
    is_built_ = true;
    return true;
  }

  bool isBuilt() const { return is_built_; }

 private:
  enum class Part : std::uint8_t { kNone, kCounts, kShapes, kParameters };

  Part part_ = Part::kNone;
  bool is_built_ = false;
};

}  // namespace traced
