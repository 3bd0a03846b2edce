// Context describes what a thread is doing in the program: its annotations
// (traced.annotate) and the module it runs. An operation is recorded with the
// context of the thread that issues it.
//
// A context is an immutable value with all current facts. Entering or leaving
// builds a new one, which takes about a microsecond. Recording one is a single
// load.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "traced/v1/definitions.pb.h"

namespace traced {

class Context {
 public:
  static constexpr int kMaxAnnotations = 16;
  static constexpr std::size_t kMaxTextBytes = 256;

  // Copies `base` (nullptr: empty) and applies `change`: appends its
  // annotations and replaces the other fields. Cuts texts to kMaxTextBytes.
  // Beyond kMaxAnnotations, the innermost annotations are only counted.
  Context(const Context* base, const v1::Context& change);

  // A serialized v1::Context without an id, and its DefinitionCache::hashOf.
  std::string_view bytes() const { return bytes_; }
  std::uint64_t hash() const { return hash_; }

 private:
  v1::Context facts_;
  std::string bytes_;
  std::uint64_t hash_;
};
using ContextRef = std::shared_ptr<const Context>;

// Returns the calling thread's own context, or else the one it was given for
// its work, merged with the ContextOverlay. Returns nullptr if it has none.
// Valid until the thread enters, leaves or calls this again.
const Context* currentContext() noexcept;

// Applies `change` on top of the calling thread's context. Returns a token for
// leaveContext().
std::uint64_t enterContext(const v1::Context& change);
// Removes an entered context and keeps those entered later. Returns false if
// this thread has not entered it, or if memory is short. It then stays.
bool leaveContext(std::uint64_t entered) noexcept;

// Propagates contexts to threads that work on behalf of another one.
class ContextCarrier {
 public:
  // Sets the context for the threads to which the calling thread passes work.
  virtual void give(const ContextRef& context) = 0;
  // Returns the context that the calling thread was given, or nullptr. Never
  // throws.
  virtual const ContextRef* given() const noexcept = 0;

 protected:
  ~ContextCarrier() = default;
};
// Sets the carrier of the process. It must live forever.
void setContextCarrier(ContextCarrier& carrier) noexcept;

// Adds facts about a thread that are computed on demand.
class ContextOverlay {
 public:
  // Returns `known` (nullptr: empty) merged with the overlay's facts about the
  // calling thread.
  virtual const Context* over(const Context* known) noexcept = 0;

 protected:
  ~ContextOverlay() = default;
};
// Sets the overlay of the process; nullptr for none. A thread may still use a
// previous overlay, so no overlay may ever be destroyed.
void setContextOverlay(ContextOverlay* overlay) noexcept;

}  // namespace traced
