#include "nccl/transfers.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "nccl/cuda.h"

namespace simulated {

Transfers::Transfers(Endpoint& end)
    : end_(end),
      sends_(static_cast<size_t>(end.ranks)),
      receives_(sends_.size()),
      moved_(sends_.size()) {}

void Transfers::send(int peer, const void* from, size_t bytes, char kind) {
  const auto to = static_cast<size_t>(peer);
  moved_[to] += bytes;
  sends_[to].push_back({{static_cast<std::uint64_t>(kind), bytes},
                        static_cast<char*>(const_cast<void*>(from))});
}

void Transfers::receive(int peer, void* to, size_t bytes, char kind) {
  const auto from = static_cast<size_t>(peer);
  moved_[from] += bytes;
  receives_[from].push_back(
      {{static_cast<std::uint64_t>(kind), bytes}, static_cast<char*>(to)});
}

char* Transfers::room(size_t bytes) {
  return rooms_.emplace_back(std::make_unique<char[]>(bytes + 1)).get();
}

void Transfers::whenMoved(std::function<void()> action) {
  actions_.push_back(std::move(action));
}

bool Transfers::run() {
  for (;;) {
    const auto seen = end_.bell();
    if (end_.aborted()) return false;
    bool moved = false;
    bool left = false;
    for (int peer = 0; peer < end_.ranks; ++peer) {
      moved |= push(peer) | pull(peer);
      const auto i = static_cast<size_t>(peer);
      left |= !sends_[i].empty() || !receives_[i].empty();
    }
    if (!left) break;
    if (!moved) end_.await(seen);
  }
  takeTime();
  for (const auto& action : actions_) action();
  return true;
}

void Transfers::takeTime() const {
  const double per_kib = simulated_cuda_setting("SIMULATED_NCCL_NS_PER_KIB", 0);
  double us = simulated_cuda_setting("SIMULATED_NCCL_OP_US", 0);
  double slowest = 0;
  for (size_t peer = 0; peer < moved_.size(); ++peer) {
    if (!moved_[peer]) continue;
    const std::string link = "SIMULATED_NCCL_LINK_US_" + std::to_string(peer);
    slowest = std::max(
        slowest, simulated_cuda_setting(link.c_str(), 0) +
                     static_cast<double>(moved_[peer]) / 1024 * per_kib / 1e3);
  }
  us += slowest;
  if (us <= 0) return;
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
}

bool Transfers::push(int peer) {
  auto& queue = sends_[static_cast<size_t>(peer)];
  auto& ring = end_.segment.ring(end_.rank, peer);
  bool any = false;
  while (!queue.empty()) {
    any |= pushOne(ring, queue.front());
    if (queue.front().done < queue.front().total()) break;
    queue.pop_front();
  }
  if (any) end_.segment.ringBell(peer);
  return any;
}

bool Transfers::pull(int peer) {
  auto& queue = receives_[static_cast<size_t>(peer)];
  auto& ring = end_.segment.ring(peer, end_.rank);
  bool any = false;
  while (!queue.empty()) {
    any |= pullOne(ring, queue.front());
    if (queue.front().done < queue.front().total()) break;
    queue.pop_front();
  }
  if (any) end_.segment.ringBell(peer);
  return any;
}

bool Transfers::pushOne(ByteRing& ring, Transfer& transfer) {
  bool any = false;
  while (transfer.done < transfer.total()) {
    const std::uint64_t head = ring.head;
    const std::uint64_t space = kRingSize - (head - ring.tail);
    if (!space) break;
    const bool in_frame = transfer.done < sizeof(Frame);
    const char* from =
        in_frame ? reinterpret_cast<char*>(&transfer.frame) + transfer.done
                 : transfer.at + transfer.done - sizeof(Frame);
    const std::uint64_t until = in_frame ? sizeof(Frame) : transfer.total();
    const std::uint64_t count =
        std::min({space, until - transfer.done, kRingSize - head % kRingSize});
    std::memcpy(ring.data + head % kRingSize, from, count);
    ring.head = head + count;
    transfer.done += count;
    any = true;
  }
  return any;
}

bool Transfers::pullFrame(ByteRing& ring, Transfer& transfer) {
  const std::uint64_t tail = ring.tail;
  if (ring.head - tail < sizeof(Frame)) return false;
  char bytes[sizeof(Frame)];
  for (size_t i = 0; i < sizeof(Frame); ++i) {
    bytes[i] = ring.data[(tail + i) % kRingSize];
  }
  Frame frame;
  std::memcpy(&frame, bytes, sizeof frame);
  if (frame != transfer.frame) return false;  // mismatch: hangs
  ring.tail = tail + sizeof(Frame);
  transfer.done = sizeof(Frame);
  return true;
}

bool Transfers::pullOne(ByteRing& ring, Transfer& transfer) {
  bool any = transfer.done < sizeof(Frame);
  if (any && !pullFrame(ring, transfer)) return false;
  while (transfer.done < transfer.total()) {
    const std::uint64_t tail = ring.tail;
    const std::uint64_t count =
        std::min({ring.head - tail, transfer.total() - transfer.done,
                  kRingSize - tail % kRingSize});
    if (!count) break;
    std::memcpy(transfer.at + transfer.done - sizeof(Frame),
                ring.data + tail % kRingSize, count);
    ring.tail = tail + count;
    transfer.done += count;
    any = true;
    if (transfer.done == transfer.total() &&
        simulated_cuda_setting("SIMULATED_NCCL_FLIP", 0) > 0) {
      *transfer.at ^= 64;
    }
  }
  return any;
}

}  // namespace simulated
