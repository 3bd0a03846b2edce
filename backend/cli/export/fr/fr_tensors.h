// The tensors of a call, as a dump lists them.

#pragma once

#include "cli/common/json.h"
#include "traced/v1/definitions.pb.h"

namespace traced::fr {

// Sets input_sizes, input_dtypes, output_sizes and output_dtypes.
void addTensors(Json& entry, const v1::Call& call);

}  // namespace traced::fr
