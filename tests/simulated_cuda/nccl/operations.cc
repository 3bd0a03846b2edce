// NCCL's operations, built from messages between the ranks.

#include <cstring>

#include "nccl/issuing.h"
#include "nccl/numbers.h"

namespace {

using simulated::issue;
using simulated::Reduction;
using simulated::sizeOf;
using simulated::Transfers;

// Kinds of messages. Operations whose kinds differ wait forever.
enum Kind : char {
  kMessage = 'm',
  kAllReduce = 'r',
  kReduce = 'R',
  kReduceScatter = 's',
  kBroadcast = 'b',
  kAllGather = 'g',
  kAllToAll = 'a',
  kGather = 'G',
  kScatter = 'S',
};

Reduction reductionOf(ncclComm_t comm, ncclDataType_t type, ncclRedOp_t op) {
  const auto it = comm->factors.find(op);
  return {type, op, it == comm->factors.end() ? 1 : it->second};
}

const char* part(const void* all, int rank, size_t bytes) {
  return static_cast<const char*>(all) + static_cast<size_t>(rank) * bytes;
}
char* part(void* all, int rank, size_t bytes) {
  return static_cast<char*>(all) + static_cast<size_t>(rank) * bytes;
}

// Sends every rank its part, from the root.
template <typename PartOf>
void sendFrom(int root, Transfers& moving, size_t bytes, Kind kind,
              PartOf part_of) {
  if (moving.end().rank != root) return;
  for (int peer = 0; peer < moving.end().ranks; ++peer) {
    moving.send(peer, part_of(peer), bytes, kind);
  }
}

// Receives from every rank and reduces the contributions.
void receiveAndReduce(Transfers& moving, void* out, size_t count,
                      const Reduction& how, Kind kind) {
  const size_t bytes = count * sizeOf(how.type);
  std::vector<const char*> contributions;
  for (int peer = 0; peer < moving.end().ranks; ++peer) {
    char* room = moving.room(bytes);
    moving.receive(peer, room, bytes, kind);
    contributions.push_back(room);
  }
  moving.whenMoved([=] { reduce(how, out, contributions, count); });
}

bool isRoot(ncclComm_t comm, int root) {
  return comm && comm->end && comm->end->rank == root;
}

}  // namespace

extern "C" {

ncclResult_t ncclSend(const void* in, size_t count, ncclDataType_t type,
                      int peer, ncclComm_t comm, cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  return issue(comm, stream,
               {__func__, bytes, in, nullptr, peer,
                [=](Transfers& t) { t.send(peer, in, bytes, kMessage); }});
}

ncclResult_t ncclRecv(void* out, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  return issue(comm, stream,
               {__func__, bytes, nullptr, out, peer,
                [=](Transfers& t) { t.receive(peer, out, bytes, kMessage); }});
}

ncclResult_t ncclAllReduce(const void* in, void* out, size_t count,
                           ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                           cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  const Reduction how = reductionOf(comm, type, op);
  return issue(comm, stream, {__func__, bytes, in, out, 0, [=](Transfers& t) {
                                for (int i = 0; i < t.end().ranks; ++i) {
                                  t.send(i, in, bytes, kAllReduce);
                                }
                                receiveAndReduce(t, out, count, how,
                                                 kAllReduce);
                              }});
}

ncclResult_t ncclReduce(const void* in, void* out, size_t count,
                        ncclDataType_t type, ncclRedOp_t op, int root,
                        ncclComm_t comm, cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  const Reduction how = reductionOf(comm, type, op);
  void* written = isRoot(comm, root) ? out : nullptr;
  return issue(comm, stream,
               {__func__, bytes, in, written, root, [=](Transfers& t) {
                  t.send(root, in, bytes, kReduce);
                  if (t.end().rank != root) return;
                  receiveAndReduce(t, out, count, how, kReduce);
                }});
}

ncclResult_t ncclReduceScatter(const void* in, void* out, size_t count,
                               ncclDataType_t type, ncclRedOp_t op,
                               ncclComm_t comm, cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  const Reduction how = reductionOf(comm, type, op);
  return issue(comm, stream,
               {__func__, bytes, in, out, 0, [=](Transfers& t) {
                  for (int i = 0; i < t.end().ranks; ++i) {
                    t.send(i, part(in, i, bytes), bytes, kReduceScatter);
                  }
                  receiveAndReduce(t, out, count, how, kReduceScatter);
                }});
}

ncclResult_t ncclBroadcast(const void* in, void* out, size_t count,
                           ncclDataType_t type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  const void* read = isRoot(comm, root) ? in : nullptr;
  return issue(comm, stream,
               {__func__, bytes, read, out, root, [=](Transfers& t) {
                  sendFrom(root, t, bytes, kBroadcast, [=](int) { return in; });
                  char* room = t.room(bytes);
                  t.receive(root, room, bytes, kBroadcast);
                  t.whenMoved([=] { std::memcpy(out, room, bytes); });
                }});
}

ncclResult_t ncclBcast(void* at, size_t count, ncclDataType_t type, int root,
                       ncclComm_t comm, cudaStream_t stream) {
  return ncclBroadcast(at, at, count, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void* in, void* out, size_t count,
                           ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  return issue(comm, stream, {__func__, bytes, in, out, 0, [=](Transfers& t) {
                                for (int i = 0; i < t.end().ranks; ++i) {
                                  t.send(i, in, bytes, kAllGather);
                                  t.receive(i, part(out, i, bytes), bytes,
                                            kAllGather);
                                }
                              }});
}

ncclResult_t ncclAlltoAll(const void* in, void* out, size_t count,
                          ncclDataType_t type, ncclComm_t comm,
                          cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  return issue(comm, stream,
               {__func__, bytes, in, out, 0, [=](Transfers& t) {
                  for (int i = 0; i < t.end().ranks; ++i) {
                    t.send(i, part(in, i, bytes), bytes, kAllToAll);
                    t.receive(i, part(out, i, bytes), bytes, kAllToAll);
                  }
                }});
}

ncclResult_t ncclGather(const void* in, void* out, size_t count,
                        ncclDataType_t type, int root, ncclComm_t comm,
                        cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  void* written = isRoot(comm, root) ? out : nullptr;
  return issue(comm, stream,
               {__func__, bytes, in, written, root, [=](Transfers& t) {
                  t.send(root, in, bytes, kGather);
                  if (t.end().rank != root) return;
                  for (int i = 0; i < t.end().ranks; ++i) {
                    t.receive(i, part(out, i, bytes), bytes, kGather);
                  }
                }});
}

ncclResult_t ncclScatter(const void* in, void* out, size_t count,
                         ncclDataType_t type, int root, ncclComm_t comm,
                         cudaStream_t stream) {
  const size_t bytes = count * sizeOf(type);
  const void* read = isRoot(comm, root) ? in : nullptr;
  return issue(comm, stream,
               {__func__, bytes, read, out, root, [=](Transfers& t) {
                  sendFrom(root, t, bytes, kScatter,
                           [=](int i) { return part(in, i, bytes); });
                  t.receive(root, out, bytes, kScatter);
                }});
}

}  // extern "C"
