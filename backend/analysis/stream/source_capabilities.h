// Capabilities of a source of records. An importer declares what its source
// provides, and a rule what it needs. A rule does not run on sources that lack
// a capability: missing data is unknown, neither zero nor a default. See
// docs/reference/diagnosis.md, "What a rule needs".

#pragma once

#include <cstdint>
#include <initializer_list>

namespace traced {

enum class SourceCapability : std::uint8_t {
  // How the total size of an all-to-all or a list of tensors is split.
  kSplits,
  // Arguments of collectives.
  kReduceOps,
  kRoots,
  // Memory ranges of tensors, and the calls, returns and waits that show when
  // an operation used them.
  kBuffers,
  kWaits,
  // Whether an operation had ended when the recording ended, and if not, how
  // long it had been in flight.
  kEnds,
  kAges,
  // Exact end times of operations, rather than the time when the end was
  // noticed.
  kExactEnds,
  // Every operation of the rank, so that what is between two of them is not
  // communication.
  kEveryOperation,
};

// In enumeration order.
inline constexpr SourceCapability kAllCapabilities[] = {
    SourceCapability::kSplits,        SourceCapability::kReduceOps,
    SourceCapability::kRoots,         SourceCapability::kBuffers,
    SourceCapability::kWaits,         SourceCapability::kEnds,
    SourceCapability::kAges,          SourceCapability::kExactEnds,
    SourceCapability::kEveryOperation};

// Returns the name used in JSON, such as "splits".
const char* nameOf(SourceCapability capability);

class CapabilitySet {
 public:
  constexpr CapabilitySet() = default;
  constexpr CapabilitySet(std::initializer_list<SourceCapability> all) {
    for (const SourceCapability one : all) bits_ |= bitOf(one);
  }
  // The capabilities of this project's own recorder.
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
  // Returns the capabilities that both sets have.
  constexpr CapabilitySet sharedWith(CapabilitySet other) const {
    CapabilitySet set;
    set.bits_ = bits_ & other.bits_;
    return set;
  }
  constexpr CapabilitySet without(SourceCapability one) const {
    CapabilitySet set;
    set.bits_ = bits_ & ~bitOf(one);
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
