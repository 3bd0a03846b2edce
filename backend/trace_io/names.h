// Returns the names of the schema's numbers: lower case, without the enum's
// prefix. END_SOURCE_COMPLETION_HOOK is "hook". A number unknown to this reader
// becomes, for example, "operation_99".

#pragma once

#include <string>

#include "traced/v1/clock.pb.h"
#include "traced/v1/definitions.pb.h"
#include "traced/v1/trace.pb.h"

namespace traced {

std::string nameOf(v1::Operation value);
std::string nameOf(v1::ReduceOp value);
std::string nameOf(v1::DeviceType value);
std::string nameOf(v1::DType value);
std::string nameOf(v1::EndSource value);
std::string nameOf(v1::DropReason value);
std::string nameOf(v1::ClockSource value);
std::string nameOf(v1::MarkKind value);
std::string nameOf(v1::Phase value);
std::string nameOf(v1::StackReading value);
std::string nameOf(v1::ExaminedAt value);
std::string nameOf(v1::SkipReason value);

}  // namespace traced
