// What is known of the ring of a stream, beyond its files.

#pragma once

#include <cstdint>

namespace traced {

enum class RingState : std::uint8_t {
  // Nobody looked.
  kNotLooked,
  // There is none within reach, or it cannot be used.
  kNone,
  // It was read while its process lived: the stream is known up to then.
  kAlive,
  // It was read, and its process was dead: the stream is known to its end.
  kDead,
};

}  // namespace traced
