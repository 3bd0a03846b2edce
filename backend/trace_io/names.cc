#include "trace_io/names.h"

#include <algorithm>
#include <cstring>

namespace traced {
namespace {

// `name` is protobuf's name of the value; "" if unknown.
std::string plainName(const std::string& name, const char* prefix, int value) {
  std::string plain = name.empty() ? prefix + std::to_string(value)
                                   : name.substr(std::strlen(prefix));
  std::transform(plain.begin(), plain.end(), plain.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return plain;
}

}  // namespace

std::string nameOf(v1::Operation value) {
  return plainName(v1::Operation_Name(value), "OPERATION_", value);
}

std::string nameOf(v1::ReduceOp value) {
  return plainName(v1::ReduceOp_Name(value), "REDUCE_OP_", value);
}

std::string nameOf(v1::DeviceType value) {
  return plainName(v1::DeviceType_Name(value), "DEVICE_TYPE_", value);
}

std::string nameOf(v1::DType value) {
  return plainName(v1::DType_Name(value), "DTYPE_", value);
}

std::string nameOf(v1::EndSource value) {
  if (value == v1::END_SOURCE_COMPLETION_HOOK) return "hook";
  return plainName(v1::EndSource_Name(value), "END_SOURCE_", value);
}

std::string nameOf(v1::DropReason value) {
  return plainName(v1::DropReason_Name(value), "DROP_REASON_", value);
}

std::string nameOf(v1::ClockSource value) {
  return plainName(v1::ClockSource_Name(value), "CLOCK_SOURCE_", value);
}

std::string nameOf(v1::MarkKind value) {
  return plainName(v1::MarkKind_Name(value), "MARK_KIND_", value);
}

std::string nameOf(v1::Phase value) {
  return plainName(v1::Phase_Name(value), "PHASE_", value);
}

std::string nameOf(v1::StackReading value) {
  return plainName(v1::StackReading_Name(value), "STACK_READING_", value);
}

std::string nameOf(v1::ExaminedAt value) {
  return plainName(v1::ExaminedAt_Name(value), "EXAMINED_AT_", value);
}

std::string nameOf(v1::SkipReason value) {
  return plainName(v1::SkipReason_Name(value), "SKIP_REASON_", value);
}

}  // namespace traced
