// Where in the program a call was issued, in short words; "" where that is not
// known.

#pragma once

#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {

// "epoch / warm-up": the annotations, the outermost first.
std::string annotationsText(const v1::Context& context);

// "Transformer.layers.3.attention": the model, and the module within it.
std::string modulePath(const v1::Context& context);

// "/job/train.py:120 in forward".
std::string frameText(const v1::Frame& frame);

// The same of a stack's call site.
std::string siteText(const v1::Stack& stack);

}  // namespace traced
