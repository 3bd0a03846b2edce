// Evidence: what a source of records can tell at all. An import says what it
// has, a rule what it needs, and a rule that needs what a source has not does
// not run on it: what is absent there is not known, which is no zero and no
// default. See docs/reference/diagnosis.md, "What a rule needs".

#pragma once

#include <cstdint>
#include <initializer_list>

namespace traced {

enum class SourceCapability : std::uint8_t {
  // How the total of an all-to-all, or of a list of tensors, is made up.
  kSplits,
  // Arguments of collectives.
  kReduceOps,
  kRoots,
  // Where in memory tensors lie, and since when and until when an operation
  // used them: calls, returns and waits.
  kBuffers,
  kWaits,
  // Whether an operation had ended when the recording did, and for how long
  // what
  // had not ended had then been under way.
  kEnds,
  kAges,
  // Instants at which operations ended, not at which somebody noticed.
  kExactEnds,
};

// In the order of the enumeration.
inline constexpr SourceCapability kAllCapabilities[] = {
    SourceCapability::kSplits, SourceCapability::kReduceOps,
    SourceCapability::kRoots,  SourceCapability::kBuffers,
    SourceCapability::kWaits,  SourceCapability::kEnds,
    SourceCapability::kAges,   SourceCapability::kExactEnds};

// "splits", as the JSON has it.
const char* nameOf(SourceCapability capability);

class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;
  constexpr CapabilitySet(std::initializer_list<SourceCapability> all) {
    for (const SourceCapability one : all) bits_ |= bitOf(one);
  }
  // What a trace of this program's own recorder tells.
  static constexpr CapabilitySet all() {
    CapabilitySet set;
    for (const SourceCapability one : kAllCapabilities) set.bits_ |= bitOf(one);
    return set;
  }

  constexpr bool has(SourceCapability one) const {
    return (bits_ & bitOf(one)) != 0;
  }
  constexpr bool hasAll(CapabilitySet of) const {
    return (of.bits_ & ~bits_) == 0;
  }
  // What both have.
  constexpr CapabilitySet sharedWith(CapabilitySet other) const {
    CapabilitySet set;
    set.bits_ = bits_ & other.bits_;
    return set;
  }
  constexpr bool operator==(const CapabilitySet&) const = default;

 private:
  static constexpr std::uint32_t bitOf(SourceCapability one) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(one);
  }

  std::uint32_t bits_ = 0;
};

}  // namespace traced
