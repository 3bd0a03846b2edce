#include "ring_io/ring/operation_in_call.h"

#include <utility>

namespace traced {
namespace {

constinit thread_local OperationInCall::Name in_call;

}  // namespace

OperationInCall::OperationInCall(const Name& name) noexcept
    : outer_(std::exchange(in_call, name.op == kLostOp ? Name{} : name)) {}

OperationInCall::~OperationInCall() { in_call = outer_; }

OperationInCall::Name OperationInCall::current() noexcept { return in_call; }

}  // namespace traced
