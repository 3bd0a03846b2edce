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

// "/job/train.py:120 in forward"; nullptr: "not known".
std::string frameText(const v1::Frame* frame);
// "/job/train.py:120 in main, via accelerate/accelerator.py:2100 in backward";
// `package` is what the call site called through, if it is known.
std::string siteText(const v1::Frame& site, const v1::Frame* package);

// "MemoryError, raised at /job/train.py:9 in train": the exception that was
// handled; "": none.
std::string handlingText(const v1::Stack& stack);

// "layer.cpp:120 in Layer::run()", "libtorch_cpu.so+0x66d2750 in
// c10d::ProcessGroup::allreduce()" where there is no line, without "in" where
// there is no name; nullptr: "not known".
std::string codeText(const v1::Code* code);

}  // namespace traced
