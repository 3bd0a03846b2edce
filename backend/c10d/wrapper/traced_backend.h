// TracedBackend wraps a c10d backend: it records every call and passes it to
// the inner backend unchanged.
//
// A generated base class forwards all other virtuals. Tensor lists are passed
// as the same objects, exceptions propagate, and a null Work stays null.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/engine_traits.h"
#include "base/operation.h"
#include "c10d/callbacks/observed_call.h"
#include "c10d/values/batch_examinations.h"
#include "c10d/wrapper/describe.h"
#include "c10d/wrapper/engine_failure_reporter.h"
#include "c10d/wrapper/forwarding.h"
#include "recorder/call_extras.h"
#include "recorder/completions.h"
#include "recorder/device/device_times.h"
#include "recorder/recorder.h"

namespace traced {

class TracedBackend : public forwarding::ForwardingBackend {
 public:
  using Work = c10::intrusive_ptr<c10d::Work>;
  using BackendPtr = c10::intrusive_ptr<c10d::Backend>;

  // Creates the events of a device, given its index.
  using MakeEvents = std::unique_ptr<DeviceEvents> (*)(int device) noexcept;

  // `recorder` must outlive all groups of the process. Without `make_events` no
  // device times are recorded. `only_cpu`: the inner backend serves only the
  // CPU.
  TracedBackend(BackendPtr inner, Recorder& recorder,
                std::unique_ptr<RecordedGroup> group,
                MakeEvents make_events = nullptr, bool only_cpu = false);
  ~TracedBackend() override;

  // Returns the backend that executes the calls.
  const BackendPtr& inner() const { return inner_; }

  // Records a mark about an action on the backend, or about its failure, and
  // requests a flush. Also records while tracing is off. Never blocks. After
  // kAbort, no device ends are recorded for unfinished operations.
  void markAndFlush(MarkKind kind, const char* message = "") noexcept;
  // Records that a call that created the group ended, and the group's id.
  void endCreation(FunctionRow end) noexcept;

  // Decides whether the configured scope includes this group. The decision
  // stays open, and the group is recorded, until `lookup` has the node names
  // that it needs: call it again then. `job`: see Recorder::decideScope(). Does
  // nothing once the decision is final.
  void decideScope(std::uint64_t job, const NodeMap::Lookup& lookup);

  // While true, the inner backend only estimates the duration of calls.
  void setSimulating(bool simulating) { simulating_ = simulating; }

  // Collectives.
  Work broadcast(Tensors& tensors, const c10d::BroadcastOptions& opts) override;
  Work allreduce(Tensors& tensors, const c10d::AllreduceOptions& opts) override;
  Work allreduce_sparse(Tensors& tensors,
                        const c10d::AllreduceOptions& opts) override;
  Work allreduce_coalesced(
      Tensors& tensors, const c10d::AllreduceCoalescedOptions& opts) override;
  Work reduce(Tensors& tensors, const c10d::ReduceOptions& opts) override;
  Work allgather(TensorLists& outputs, Tensors& inputs,
                 const c10d::AllgatherOptions& opts) override;
  Work _allgather_base(at::Tensor& output, at::Tensor& input,
                       const c10d::AllgatherOptions& opts) override;
  Work allgather_coalesced(TensorLists& outputs, Tensors& inputs,
                           const c10d::AllgatherOptions& opts) override;
  Work allgather_into_tensor_coalesced(
      Tensors& outputs, Tensors& inputs,
      const c10d::AllgatherOptions& opts) override;
  Work gather(TensorLists& outputs, Tensors& inputs,
              const c10d::GatherOptions& opts) override;
  Work scatter(Tensors& outputs, TensorLists& inputs,
               const c10d::ScatterOptions& opts) override;
  Work reduce_scatter(Tensors& outputs, TensorLists& inputs,
                      const c10d::ReduceScatterOptions& opts) override;
  Work _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                            const c10d::ReduceScatterOptions& opts) override;
  Work reduce_scatter_tensor_coalesced(
      Tensors& outputs, Tensors& inputs,
      const c10d::ReduceScatterOptions& opts) override;
  Work alltoall_base(at::Tensor& output, at::Tensor& input,
                     std::vector<std::int64_t>& output_splits,
                     std::vector<std::int64_t>& input_splits,
                     const c10d::AllToAllOptions& opts) override;
  Work alltoall(Tensors& outputs, Tensors& inputs,
                const c10d::AllToAllOptions& opts) override;
  Work barrier(const c10d::BarrierOptions& opts) override;
  void monitoredBarrier(const c10d::BarrierOptions& opts,
                        bool wait_all_ranks) override;

  // Newer names of some of them (torch 2.15). Each call is forwarded under the
  // name that the caller used.
#ifdef TRACED_BACKEND_HAS_all_gather_single
  Work all_gather_single(at::Tensor& output, at::Tensor& input,
                         const c10d::AllgatherOptions& opts) override;
  Work all_gather_single_coalesced(Tensors& outputs, Tensors& inputs,
                                   const c10d::AllgatherOptions& opts) override;
  Work gather_single(at::Tensor& output, at::Tensor& input,
                     const c10d::GatherOptions& opts) override;
  Work gather_into_tensor(at::Tensor& output, at::Tensor& input,
                          const c10d::GatherOptions& opts) override;
  Work reduce_scatter_single(at::Tensor& output, at::Tensor& input,
                             const c10d::ReduceScatterOptions& opts) override;
  Work reduce_scatter_single_coalesced(
      Tensors& outputs, Tensors& inputs,
      const c10d::ReduceScatterOptions& opts) override;
  Work all_to_all_single(at::Tensor& output, at::Tensor& input,
                         std::vector<std::int64_t>& output_splits,
                         std::vector<std::int64_t>& input_splits,
                         const c10d::AllToAllOptions& opts) override;
#endif

  // Point to point.
  Work send(Tensors& tensors, int dst, int tag) override;
  Work recv(Tensors& tensors, int src, int tag) override;
  Work recvAnysource(Tensors& tensors, int tag) override;

  // Coalesced batches. Members carry the batch's id, and the end of the batch
  // is an operation of its own.
  void startCoalescing() override;
  Work endCoalescing() override;

  // Management. A child backend is returned unwrapped. It is wrapped when torch
  // puts it into a group (attach.h).
  BackendPtr split(const c10::intrusive_ptr<c10d::Store>& store,
                   const std::vector<int>& ranks,
                   const c10::intrusive_ptr<Options>& opts) override;
  BackendPtr merge(const c10::intrusive_ptr<c10d::Store>& store,
                   const c10::intrusive_ptr<Options>& opts, const int& rank,
                   const int& size) override;
  BackendPtr shrink(const std::vector<std::int64_t>& ranks_to_exclude,
                    int flags,
                    const c10::intrusive_ptr<Options>& opts) override;
  void abort() override;
  void shutdown() override;
#ifdef TRACED_BACKEND_HAS_reconfigure
  Work reconfigure(const c10d::ReconfigureOptions& opts) override;
#endif
#ifdef TRACED_BACKEND_HAS_suspend
  void suspend() override;
  void resume() override;
#endif
#ifdef TRACED_BACKEND_HAS_startTimeEstimate
  void startTimeEstimate() override;
  float endTimeEstimate() override;
#endif

  // State that c10d stores in the wrapper and that the inner backend also
  // needs.
  void setGroupUid(const std::string& uid) override;
#ifdef TRACED_BACKEND_HAS_setBoundDeviceId
  void setBoundDeviceId(std::optional<at::Device> device) override;
#endif

 private:
  // Returns the recorder. Returns nullptr if recording has ended or is switched
  // off, or in a forked child.
  Recorder* active() const noexcept {
    return Recorder::current() == &recorder_ && Recorder::enabled() ? &recorder_
                                                                    : nullptr;
  }

  // Returns the recorder if it records this call now, else nullptr. Counts a
  // call that the scope excludes. `peer`: the other side of a message.
  Recorder* recording(int peer = RecordedGroup::kNoPeer) noexcept {
    Recorder* recorder = active();
    if (!recorder || !group_->leavesOut(peer)) [[likely]]
      return recorder;
    if (!simulating_.load(std::memory_order_relaxed)) recorder->leaveOut();
    // The group's definition says so, and may have found no room yet.
    group_->ensureDefined();
    return nullptr;
  }

  // Records one call around `forward`. `describe` fills a CallDescriber,
  // `number` draws the sequence number. Defined in record_call.h.
  template <typename Describe, typename Forward>
  Work collective(Operation op, Describe describe, Forward forward);
  template <typename Number, typename Describe, typename Forward>
  Work record(Operation op, Number number, Describe describe, Forward forward,
              int peer = RecordedGroup::kNoPeer);
  template <typename Describe, typename Forward>
  Work recordNumbered(Recorder& recorder, Operation op, std::uint64_t seq,
                      Describe& describe, Forward& forward);
  template <typename Describe, typename Forward>
  Work recordWithExtras(const CallExtras& extras, Recorder& recorder,
                        Operation op, std::uint64_t seq, Describe& describe,
                        Forward& forward);
  // Returns the description of a call. If `describe` throws, it is incomplete.
  template <typename Describe>
  CallDescriber described(Operation op, Describe& describe) noexcept;
  template <typename Describe>
  std::shared_ptr<Examination> examine(const ValueOptions& options,
                                       Operation op, std::uint64_t seq,
                                       Describe& describe);
  // Passes the call to the callbacks of the program that want it. Returns
  // nullptr if none does.
  template <typename Describe>
  std::shared_ptr<ObservedCall> observe(Operation op, std::uint64_t seq,
                                        Describe& describe) noexcept;
  // The same for a call without a sequence number and without a Work.
  template <typename Forward>
  auto manage(Operation op, Forward forward) -> decltype(forward());
  template <typename Forward>
  static auto observed(Recorder& recorder, OpId op, Forward forward)
      -> decltype(forward());
  struct Issued {
    OpId op;
    std::int64_t issue_ns;
    // Time that the tracer spent on the call so far, or OwnTime::kNotSampled.
    std::int64_t own_ns;
    bool async;
    bool sync;  // both false: the call does not specify
    // The call runs on the host and is waited for at once, so its return and
    // its wait share one record.
    bool waits_at_once;
    // Its end is known once its wait returns or its future completes.
    bool notifies_host;
    std::uint64_t bytes;
    DeviceTimes* times;  // nullptr: no device times
    DeviceTimes::StreamState stream;
    CommunicatorId communicator;
  };
  // Forwards a call whose issue is recorded, and records the rest.
  template <typename Forward>
  Work forwardIssued(Recorder& recorder, Operation op, const Issued& issued,
                     Forward& forward);
  template <typename Describe>
  Issued issue(Recorder& recorder, Operation op, std::uint64_t seq,
               Describe& describe) noexcept;
  // Has the ends of examined calls examined when the program learns of them.
  // Returns the Work to pass on in place of `work`.
  Work examineEnds(Examinations calls, const Issued& issued,
                   Work work) noexcept;
  // Returns the examined calls that end with this one. `batch`: the batch
  // before it.
  Examinations endingWith(Operation op, std::uint64_t batch,
                          std::shared_ptr<Examination> own) noexcept;
  // Returns a TracedWork around `inner`, and observes how the operation ends.
  // Returns `inner` if it is null or memory is short.
  Work wrap(Recorder& recorder, const Issued& issued, std::int64_t return_ns,
            Operation operation, Work inner) noexcept;
  // Records the end when the Work's future completes. Asks no further Work of
  // an operation for a future once that failed.
  void observeFuture(Recorder& recorder, OpId op, Operation operation,
                     c10d::Work& work) noexcept;
  // Returns whether the operation has an end of its own.
  bool endsByItself(const Issued& issued) const noexcept;
  // Returns whether a returned wait() proves the end of the operation.
  bool waitShowsEnd(const Issued& issued) const noexcept;
  // Observes the result of a Work without a future (engine_result.cc).
  void observeResult(const Issued& issued, c10d::Work& work) noexcept;
  // Returns whether the end is known once the wait returns or the future
  // completes.
  bool notifiesHost(DeviceType device) const noexcept;
  // Returns the device timing for a call, or nullptr.
  DeviceTimes* timesOf(const CallDescriber& call) noexcept;
  DeviceTimes* timesOf(int device) noexcept;
  // Returns what copies the tensors of a call, or nullptr.
  DeviceCopies* copiesOf(const CallTensors& call) noexcept;
  // Returns whether the call may run on the caller's own stream.
  bool onCallersStream(Operation op, const Issued& issued) const noexcept;
  // Returns whether the call ran on that stream although it returned a Work.
  bool endsWithCall(const Issued& issued) const noexcept {
    return issued.sync && engine_.sync_has_work &&
           batch_.load(std::memory_order_relaxed) == 0;
  }
  // Use completion hooks, if the inner backend has them (torch 2.15).
  // onCompletion() records the operation's end once the hook reports it.
  void watchCompletions() noexcept;
  void unwatchCompletions() noexcept;
  void onCompletion(const Issued& issued, const c10d::Work& work) noexcept;
  // Detect that the inner backend gives up (abort_hook.cc).
  void watchFailures() noexcept;
  void unwatchFailures() noexcept;

  // The fields that every call uses are first, in one cache line.
  Recorder& recorder_;
  const std::unique_ptr<RecordedGroup> group_;
  std::atomic<std::uint64_t> batch_{0};
  std::atomic<bool> simulating_{false};
  const bool only_cpu_;
  const MakeEvents make_events_;
  // The unit of an abort: see Devices.
  std::atomic<CommunicatorId> communicator_;
  const EngineTraits engine_;
  // Null if the backend has no completion hooks.
  std::shared_ptr<Completions> completions_;
  // Null if operations run on the host. `owner_` is the process that created
  // it.
  EngineFailureReporter* failures_ = nullptr;
  std::int64_t owner_ = 0;
  [[maybe_unused]] bool has_abort_hook_ = false;
  std::atomic<bool> no_future_[kOperationCount] = {};
  std::atomic<bool> no_result_;
  // Set once the scope decision is final.
  std::atomic<bool> scope_decided_{false};
  // Examined members of the batch so far.
  BatchExaminations batch_examinations_;
  // What callbacks receive of the group; made when it is first needed.
  std::once_flag observed_once_;
  std::shared_ptr<const GroupInfo> observed_group_;
  // Device of the latest call, because some calls do not specify theirs.
  std::atomic<int> device_{kNoDevice};
  static constexpr int kNoDevice = -1;
  // Set if no device times are available.
  std::atomic<bool> device_unknown_{false};
};

}  // namespace traced
