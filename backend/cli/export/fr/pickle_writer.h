// Writes plain values as a pickle of protocol 2, the protocol that torch itself
// writes.

#pragma once

#include <string>

#include "cli/common/json.h"

namespace traced::fr {

// Appends a value to a pickle. The caller writes the protocol header before it
// and the stop opcode after it. Integers must fit 64 bits, signed.
void appendPickled(std::string& out, const Json& value);

}  // namespace traced::fr
