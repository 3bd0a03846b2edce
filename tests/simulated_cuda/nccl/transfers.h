// Moves the data that the operations of one launch send and receive,
// concurrently.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "nccl/endpoint.h"

namespace simulated {

// Precedes the bytes of a message. A receiver that expects another frame waits
// forever.
struct Frame {
  std::uint64_t kind, bytes;
  bool operator==(const Frame&) const = default;
};

class Transfers {
 public:
  explicit Transfers(Endpoint& end);

  Endpoint& end() { return end_; }
  // Queue a transfer with a peer, which run() carries out. The memory must stay
  // valid until then.
  void send(int peer, const void* from, size_t bytes, char kind);
  void receive(int peer, void* to, size_t bytes, char kind);
  // Returns a buffer for received data that the program does not get. It is
  // freed with this object.
  char* room(size_t bytes);
  // Runs `action` at the end of run(), unless the communicator was aborted.
  void whenMoved(std::function<void()> action);

  // Blocks until all data has moved. Returns false if the communicator was
  // aborted.
  bool run();

 private:
  struct Transfer {
    Frame frame;
    char* at;
    std::uint64_t done = 0;  // bytes, including the frame
    std::uint64_t total() const { return sizeof(Frame) + frame.bytes; }
  };

  // Return whether any bytes moved.
  bool push(int peer);
  bool pull(int peer);
  static bool pushOne(ByteRing& ring, Transfer& transfer);
  static bool pullOne(ByteRing& ring, Transfer& transfer);
  static bool pullFrame(ByteRing& ring, Transfer& transfer);
  // Sleeps for the simulated duration, which the slowest link determines.
  void takeTime() const;

  Endpoint& end_;
  std::vector<std::deque<Transfer>> sends_, receives_;
  std::vector<std::unique_ptr<char[]>> rooms_;
  std::vector<std::function<void()>> actions_;
  std::vector<std::uint64_t> moved_;  // to and from each peer
};

}  // namespace simulated
