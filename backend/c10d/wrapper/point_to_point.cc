// Sends, receives and coalesced batches of TracedBackend.

#include "c10d/wrapper/record_call.h"

namespace traced {

TracedBackend::Work TracedBackend::send(Tensors& tensors, int dst, int tag) {
  return record(
      Operation::kSend, [&] { return group_->nextSend(dst); },
      [&](auto& call) {
        call.inputs(tensors);
        call.peer(dst, tag);
      },
      [&] { return inner_->send(tensors, dst, tag); }, dst);
}

TracedBackend::Work TracedBackend::recv(Tensors& tensors, int src, int tag) {
  return record(
      Operation::kRecv, [&] { return group_->nextReceive(src); },
      [&](auto& call) {
        call.outputs(tensors);
        call.peer(src, tag);
      },
      [&] { return inner_->recv(tensors, src, tag); }, src);
}

TracedBackend::Work TracedBackend::recvAnysource(Tensors& tensors, int tag) {
  return record(
      Operation::kRecv, notNumbered,  // the peer is unknown until it completes
      [&](auto& call) {
        call.outputs(tensors);
        call.anyPeer(tag);
      },
      [&] { return inner_->recvAnysource(tensors, tag); });
}

void TracedBackend::startCoalescing() {
  static std::atomic<std::uint64_t> batches{0};
  inner_->startCoalescing();
  batch_.store(1 + batches.fetch_add(1), std::memory_order_relaxed);
}

TracedBackend::Work TracedBackend::endCoalescing() {
  const auto end_batch = [&] {
    batch_.store(0, std::memory_order_relaxed);
    return inner_->endCoalescing();
  };
  return record(
      Operation::kCoalesced, notNumbered, [](auto&) {}, end_batch);
}

}  // namespace traced
