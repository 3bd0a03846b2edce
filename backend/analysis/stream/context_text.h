// Formats where in the program a call was issued. Texts are "" if unknown.

#pragma once

#include <string>

#include "traced/v1/definitions.pb.h"

namespace traced {

// Returns the annotations, outermost first: "epoch / warm-up".
std::string annotationsText(const v1::Context& context);

// Returns the model and the module within it: "Transformer.layers.3.attention".
std::string modulePath(const v1::Context& context);

// Returns "/job/train.py:120 in forward". `frame` may be nullptr: "not known".
std::string frameText(const v1::Frame* frame);
// Returns the path of a file within the folder in which packages or Python's
// library are installed: "torch/serialization.py". "" if it is elsewhere.
std::string libraryPath(const std::string& file);
// Returns the same as frameText(), without that folder.
std::string libraryFrameText(const v1::Frame& frame);
// Returns "/job/train.py:120 in main, via accelerate/accelerator.py:2100 in
// backward". `package` is the frame of the package that the call site called;
// may be nullptr.
std::string siteText(const v1::Frame& site, const v1::Frame* package);

// Returns the exception being handled: "MemoryError, raised at /job/train.py:9
// in train", with its message if known: "ValueError: bad batch, raised at ...";
// "" if none.
std::string handlingText(const v1::Stack& stack);

// Returns "layer.cpp:120 in Layer::run()". Without a line:
// "libtorch_cpu.so+0x66d2750 in c10d::ProcessGroup::allreduce()". Without a
// name, " in ..." is left out. `code` may be nullptr: "not known".
std::string codeText(const v1::Code* code);

}  // namespace traced
