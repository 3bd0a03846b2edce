// Where in the program a thread is: what it says of itself (traced.annotate),
// and what is known of the modules it runs. An operation is stamped with the
// context of the thread that issues it.
//
// A context is an immutable value that all facts so far make up. Entering and
// leaving make a new one, which costs a microsecond; stamping takes a load.

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

  // What `base` says (nullptr: nothing), and `change` on top: its annotations
  // are added, its other fields replace. Texts are cut to kMaxTextBytes, and
  // the innermost of more than kMaxAnnotations are only counted.
  Context(const Context* base, const v1::Context& change);

  // A v1::Context without an id, and its DefinitionCache::hashOf.
  std::string_view bytes() const { return bytes_; }
  std::uint64_t hash() const { return hash_; }

 private:
  v1::Context facts_;
  std::string bytes_;
  std::uint64_t hash_;
};
using ContextRef = std::shared_ptr<const Context>;

// The calling thread's context, or else the one it was given to work in, with
// what a ContextOverlay knows; nullptr when there is none. Valid until the
// thread enters or leaves one, or asks again.
const Context* currentContext() noexcept;

// The calling thread is, from now on, where `change` says, and where it was
// before. Returns what it takes to leave.
std::uint64_t enterContext(const v1::Context& change);
// Takes back what was entered, also when others were entered since and are
// kept. False if this thread is not in it.
bool leaveContext(std::uint64_t entered) noexcept;

// Brings contexts to threads that work for another one.
class ContextCarrier {
 public:
  // What the calling thread has threads work in that it gives work to.
  virtual void give(const ContextRef& context) = 0;
  // What the calling thread was given; nullptr: nothing. Never throws.
  virtual const ContextRef* given() const noexcept = 0;

 protected:
  ~ContextCarrier() = default;
};
// Of the process, for ever.
void setContextCarrier(ContextCarrier& carrier) noexcept;

// Knows more of where a thread is, and finds it out when it is asked.
class ContextOverlay {
 public:
  // `known` (nullptr: nothing) and what there is to add; of the calling thread.
  virtual const Context* over(const Context* known) noexcept = 0;

 protected:
  ~ContextOverlay() = default;
};
// Of the process. nullptr: none; an earlier one may be in use for ever.
void setContextOverlay(ContextOverlay* overlay) noexcept;

}  // namespace traced
