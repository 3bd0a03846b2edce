#include "c10d/program/copied_stack.h"

#include <string>

#include "base/utf8.h"
#include "c10d/program/copied_code.h"
#include "c10d/program/describe_frame.h"
#include "c10d/program/frame_layout.h"
#include "c10d/program/own_memory.h"

namespace traced {
namespace {

using layout::Frame;

constexpr std::size_t kMaxMessageBytes = 256;

// A piece of code and the instruction at which it is.
struct CodePosition {
  CopiedCode code;
  int instruction = 0;

  void describe(v1::Frame& frame) const {
    describeFrame(code.get(), instruction, frame);
  }
};

// Returns false if a frame cannot be read.
bool addFrames(const PyThreadState& thread, const CodeKinds& kinds,
               v1::Stack& stack) {
  Frame* const* const innermost = layout::innermostAt(thread);
  const Frame* at = nullptr;
  if (innermost && !copyMemory(innermost, &at, sizeof at)) return false;
  for (std::size_t depth = 0; at && depth < kMaxDepth; ++depth) {
    Frame frame;
    if (!copyObject(at, frame)) return false;
    at = layout::outside(frame);
    if (layout::isInterpreters(frame)) continue;
    if (stack.frame_size() == kMaxFrames) {
      stack.set_cut(stack.cut() + 1);
      continue;
    }
    CodePosition position;
    if (!position.code.copy(layout::codeOf(frame))) return false;
    if (!layout::hasBegun(frame, position.code.get())) continue;
    position.instruction = layout::instructionOf(frame);
    position.describe(*stack.add_frame());
    noteKind(kinds.find(position.code.get()), stack);
  }
  settleSite(stack);
  return true;
}

// Returns the exception that the thread handles, or nullptr.
const PyObject* handledBy(const PyThreadState& thread) {
  _PyErr_StackItem item;
  const _PyErr_StackItem* at = thread.exc_info;
  for (std::size_t depth = 0; at && depth < kMaxDepth; ++depth) {
    if (!copyObject(at, item)) return nullptr;
    if (item.exc_value && item.exc_value != Py_None) return item.exc_value;
    at = item.previous_item;
  }
  return nullptr;
}

// Returns the class of an exception without its module, or "" if `type` is no
// class of exceptions.
std::string nameOfType(const PyTypeObject* type) {
  PyTypeObject copy;
  if (!copyObject(type, copy) ||
      !PyType_FastSubclass(&copy, Py_TPFLAGS_BASE_EXC_SUBCLASS)) {
    return "";
  }
  // A name may end just before memory that does not exist.
  std::string name;
  for (char next = 0; name.size() < kMaxTypeBytes; name.push_back(next)) {
    if (!copyObject(copy.tp_name + name.size(), next) || next == '\0') break;
  }
  return toValidUtf8(name.substr(name.rfind('.') + 1));
}

// Returns the message of an exception whose only argument is a string.
std::string messageOf(const PyObject* args) {
  PyTupleObject tuple;
  if (!copyObject(reinterpret_cast<const PyTupleObject*>(args), tuple)) {
    return "";
  }
  const PyVarObject& head = tuple.ob_base;
  const bool is_one =
      head.ob_base.ob_type == &PyTuple_Type && head.ob_size == 1;
  return is_one ? copiedText(tuple.ob_item[0], kMaxMessageBytes) : "";
}

// Returns false if the code of a traceback's entry cannot be read.
bool copyEntry(const PyTracebackObject& entry, CodePosition& position) {
  PyFrameObject object;
  Frame frame;
  position.instruction = entry.tb_lasti;
  if (!copyObject(entry.tb_frame, object)) return false;
  return copyObject(layout::dataOf(object), frame) &&
         position.code.copy(layout::codeOf(frame));
}

// Describes the innermost line of the program's own code in a traceback, or
// else its innermost line.
void addRaised(const PyObject* traceback, const CodeKinds& kinds,
               v1::HandledException& handled) {
  PyTracebackObject entry;
  bool is_own = false;
  auto at = reinterpret_cast<const PyTracebackObject*>(traceback);
  for (std::size_t depth = 0; at && depth < kMaxDepth; ++depth) {
    if (!copyObject(at, entry) || entry.ob_base.ob_type != &PyTraceBack_Type) {
      return;
    }
    at = entry.tb_next;
    CodePosition position;
    if (!copyEntry(entry, position)) return;
    const bool own = kinds.find(position.code.get()) == CodeKind::kProgram;
    if (own || !is_own) position.describe(*handled.mutable_raised());
    is_own |= own;
  }
}

void addException(const PyThreadState& thread, const CodeKinds& kinds,
                  v1::Stack& stack) {
  const PyObject* const address = handledBy(thread);
  PyBaseExceptionObject error;
  if (!address ||
      !copyObject(reinterpret_cast<const PyBaseExceptionObject*>(address),
                  error)) {
    return;
  }
  const std::string type = nameOfType(error.ob_base.ob_type);
  if (type.empty()) return;
  v1::HandledException& handled = *stack.mutable_handling();
  handled.set_type(type);
  handled.set_message(messageOf(error.args));
  addRaised(error.traceback, kinds, handled);
}

}  // namespace

std::optional<v1::Stack> copiedStack(const PyThreadState& thread,
                                     const CodeKinds& kinds) {
  v1::Stack stack;
  if (!addFrames(thread, kinds, stack)) return std::nullopt;
  if (stack.frame_size() > 0) addException(thread, kinds, stack);
  return stack;
}

}  // namespace traced
