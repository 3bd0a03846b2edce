#include "truth/simulate.h"

#include <algorithm>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "truth/meeting.h"
#include "truth/random.h"
#include "truth/wiring.h"

namespace traced::truth {
namespace {

constexpr std::int64_t kTooFarNs = std::int64_t{1} << 50;
constexpr std::uint32_t kNobody = ~0U;

// Identifies an operation of a rank.
struct OpRef {
  std::uint32_t rank = kNobody;
  std::uint32_t index = 0;
};

// The queue of one group on one rank.
struct Engine {
  std::deque<std::uint32_t> queue;
  std::uint32_t idle = 2;
  // Operations that have not ended, and barriers that wait for earlier
  // operations.
  std::vector<std::uint32_t> under_way;
  std::vector<std::uint32_t> barriers;
  std::uint64_t next_seq = 1;
};

struct Process {
  std::size_t next = 0;
  std::map<std::uint32_t, std::uint32_t> by_handle;
  // The operation it waits for, by its Work or by its future.
  std::uint32_t waits_for = kNobody;
  bool by_work = false;
  bool is_over = false;
  bool is_gone = false;  // over, and its peers have noticed
  std::vector<Engine> engines;
  std::map<std::tuple<std::uint32_t, std::uint32_t, bool>, std::uint64_t>
      message_seqs;
};

struct Event {
  enum class Kind : std::uint8_t {
    kResume,
    kJoin,
    kEnd,
    kFree,
    kGone,
    kTimeout
  };
  std::int64_t at = 0;
  std::uint64_t order = 0;
  Kind kind = Kind::kResume;
  OpRef op;
  bool failed = false;
};

struct LaterThan {
  bool operator()(const Event& a, const Event& b) const {
    return std::tie(a.at, a.order) > std::tie(b.at, b.order);
  }
};

class Simulation {
 public:
  explicit Simulation(const Program& program)
      : program_(program),
        unrolled_(unroll(program)),
        wiring_(program, unrolled_.groups) {
    history_.groups = unrolled_.groups;
    if (sharesNames(program)) {
      history_.fault_at = 0;
      history_.out_of_step = true;
    }
    history_.ranks.resize(program.world);
    processes_.resize(program.world);
    for (Process& process : processes_) {
      process.engines.resize(unrolled_.groups.size());
    }
    stuck_.resize(program.world);
    failing_.resize(program.world);
    closed_.resize(unrolled_.groups.size());
    if (has(program.features, Feature::kRelays)) {
      route_ = Random(program.seed, {10})
                   .oneOf({Route::kDirect, Route::kTree, Route::kRing});
    }
    late_sends_ = has(program.features, Feature::kLateSends) &&
                  Random(program.seed, {11}).oneIn(2);
  }

  History run() {
    for (std::uint32_t rank = 0; rank < program_.world; ++rank) {
      Random random(program_.seed, {12, rank});
      push(random.between(0, 5 * kMs), Event::Kind::kResume, {rank, 0});
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      now_ = event.at;
      handle(event);
    }
    finish();
    return std::move(history_);
  }

 private:
  Happened& at(OpRef ref) {
    return history_.ranks[ref.rank].operations[ref.index];
  }
  void push(std::int64_t at, Event::Kind kind, OpRef op, bool failed = false) {
    if (at - now_ > kTooFarNs) return;
    events_.push({at, next_order_++, kind, op, failed});
  }

  void handle(const Event& event) {
    if (event.kind == Event::Kind::kGone) return seeGone(event.op.rank);
    if (processes_[event.op.rank].is_over) return;
    switch (event.kind) {
      case Event::Kind::kResume:
        return resume(event.op.rank);
      case Event::Kind::kJoin:
        return join(event.op);
      case Event::Kind::kEnd:
        return end(event.op, event.failed);
      case Event::Kind::kTimeout:
        return timeOut(event.op);
      case Event::Kind::kFree:
        ++engineOf(event.op).idle;
        return startNext(event.op.rank, at(event.op).call.group);
      case Event::Kind::kGone:
        return;
    }
  }

  Engine& engineOf(OpRef ref) {
    return processes_[ref.rank].engines[at(ref).call.group];
  }

  // Runs the rank's statements until one takes time.
  void resume(std::uint32_t rank) {
    Process& process = processes_[rank];
    if (process.waits_for != kNobody && !wakeUp(rank)) return;
    const std::vector<Statement>& statements = unrolled_.ranks[rank];
    while (process.next < statements.size()) {
      const Statement& statement = statements[process.next++];
      if (statement.at_fault) {
        history_.fault_at = std::min(history_.fault_at, now_);
      }
      switch (statement.kind) {
        case Statement::Kind::kStep:
          history_.ranks[rank].steps.push_back({statement.step, now_});
          continue;
        case Statement::Kind::kCompute:
          return push(now_ + statement.ns, Event::Kind::kResume, {rank, 0});
        case Statement::Kind::kDie:
          return leave(rank, Ending::kKilled);
        case Statement::Kind::kRaise:
          return leave(rank, Ending::kRaised);
        case Statement::Kind::kCall:
          return issue(rank, statement);
        case Statement::Kind::kWait:
        case Statement::Kind::kFuture:
          if (!wait(rank, statement)) return;
          continue;
      }
    }
    leave(rank, Ending::kInOrder);
  }

  void leave(std::uint32_t rank, Ending ending) {
    processes_[rank].is_over = true;
    history_.ranks[rank].ending = ending;
    history_.ranks[rank].end = now_ + (ending == Ending::kKilled ? 0 : kMs);
    if (ending == Ending::kInOrder) waitForCallbacks(history_.ranks[rank]);
    if (program_.fault.consequence != Consequence::kFail) return;
    Random random(program_.seed, {13, rank});
    push(now_ + random.between(50, 200) * kMs, Event::Kind::kGone, {rank, 0});
  }

  // A process that ends in order joins the threads that run callbacks.
  static void waitForCallbacks(RankHistory& rank) {
    for (const Happened& op : rank.operations) {
      if (op.stamped != kNever) rank.end = std::max(rank.end, op.stamped + kMs);
    }
  }

  void issue(std::uint32_t rank, const Statement& statement) {
    Process& process = processes_[rank];
    auto& operations = history_.ranks[rank].operations;
    const OpRef ref{rank, static_cast<std::uint32_t>(operations.size())};
    process.by_handle[statement.handle] = ref.index;
    Happened& op = operations.emplace_back();
    op.call = statement.call;
    op.issued = now_;
    op.returned = now_ + 3 * kUs;
    if (statement.stuck) stuck_[rank].push_back(ref.index);
    if (statement.fails) failing_[rank].push_back(ref.index);
    if (statement.timeout_ns > 0) {
      push(op.returned + statement.timeout_ns, Event::Kind::kTimeout, ref);
    }
    push(op.returned + kUs, Event::Kind::kResume, {rank, 0});
    if (op.call.peer_plus_1 > 0) return issueMessage(ref, statement.ns);
    Engine& engine = process.engines[op.call.group];
    op.seq = engine.next_seq++;
    engine.queue.push_back(ref.index);
    engine.under_way.push_back(ref.index);
    startNext(rank, op.call.group);
  }

  // Idle workers take operations from the queue.
  void startNext(std::uint32_t rank, std::uint32_t group) {
    Engine& engine = processes_[rank].engines[group];
    while (engine.idle > 0 && !engine.queue.empty()) {
      const std::uint32_t index = engine.queue.front();
      engine.queue.pop_front();
      --engine.idle;
      const OpRef ref{rank, index};
      const bool waits = at(ref).call.op == v1::OPERATION_BARRIER &&
                         engine.under_way.front() != index;
      if (waits) {
        engine.barriers.push_back(index);
      } else {
        push(now_, Event::Kind::kJoin, ref);
      }
    }
  }

  using MeetingKey = std::pair<std::uint32_t, std::uint64_t>;
  struct Met {
    explicit Met(std::size_t size) : meeting(size), refs(size) {}
    Meeting meeting;
    std::vector<OpRef> refs;
    bool failed = false;
  };

  static bool contains(const std::vector<std::uint32_t>& indices, OpRef ref) {
    return std::find(indices.begin(), indices.end(), ref.index) !=
           indices.end();
  }

  // Times out an operation. Like Gloo, the group executes nothing afterwards.
  void timeOut(OpRef ref) {
    Happened& op = at(ref);
    if (op.ended != kNever) return;
    op.timed_out = true;
    closed_[op.call.group] = true;
    end(ref, true);
  }

  void join(OpRef ref) {
    Happened& op = at(ref);
    op.ready = now_;
    const std::uint32_t wired = wiring_.of(op.call.group, ref.rank);
    const PlainGroup& group = wiring_.at(wired);
    const MeetingKey key{wired, op.seq};
    Met& met = meetings_.try_emplace(key, group.members.size()).first->second;
    const std::uint32_t member = group.indexOf(ref.rank);
    met.refs[member] = ref;
    met.meeting.join(member, op.call, now_, contains(stuck_[ref.rank], ref));
    met.failed |= contains(failing_[ref.rank], ref);
    if (met.failed || closed_[op.call.group]) return failAll(met);
    history_.out_of_step |= met.meeting.disagrees();
    if (met.meeting.disagrees() && disagree(met)) return;
    if (misses(met, group)) return failAll(met);
    MeetingRules rules{route_, late_sends_, {}};
    if (op.call.op == v1::OPERATION_GATHER ||
        op.call.op == v1::OPERATION_SCATTER) {
      rules.route = Route::kDirect;
    }
    rules.part_ns = [&](std::uint32_t who) {
      Random random(program_.seed, {14, key.first, key.second, who});
      const auto bytes = static_cast<std::int64_t>(4 * op.call.elements);
      return (20 * kUs + bytes) * random.between(100, 130) / 100;
    };
    for (const Meeting::Leave& leave : met.meeting.leaving(rules)) {
      at(met.refs[leave.member]).peers_ready = leave.peers_ready;
      push(std::max(now_, leave.at), Event::Kind::kEnd, met.refs[leave.member]);
    }
  }

  // Handles members that called different operations. Returns whether the
  // collective stops.
  bool disagree(const Met& met) {
    if (program_.fault.consequence == Consequence::kProceed) return false;
    if (program_.fault.consequence == Consequence::kFail) failAll(met);
    return true;
  }

  // Returns whether a member that has not joined is known to be gone.
  bool misses(const Met& met, const PlainGroup& group) const {
    for (std::uint32_t i = 0; i < group.members.size(); ++i) {
      if (processes_[group.members[i]].is_gone && !met.meeting.hasJoined(i)) {
        return true;
      }
    }
    return false;
  }

  void failAll(const Met& met) {
    for (const OpRef ref : met.refs) {
      if (ref.rank == kNobody || at(ref).ended != kNever) continue;
      push(now_ + 100 * kUs, Event::Kind::kEnd, ref, true);
    }
  }

  void seeGone(std::uint32_t rank) {
    processes_[rank].is_gone = true;
    for (const auto& [key, met] : meetings_) {
      if (misses(met, wiring_.at(key.first))) failAll(met);
    }
    for (auto& [key, mailbox] : mailboxes_) {
      const auto& [group, from, to, tag] = key;
      if (from != rank && to != rank) continue;
      for (const auto& waiting : {mailbox.sends, mailbox.recvs}) {
        for (const OpRef ref : waiting) {
          push(now_ + 100 * kUs, Event::Kind::kEnd, ref, true);
        }
      }
    }
  }

  struct Mailbox {
    std::deque<OpRef> sends, recvs;
    std::deque<std::int64_t> slow_ns;
  };

  void issueMessage(OpRef ref, std::int64_t slow_ns) {
    Happened& op = at(ref);
    op.ready = now_;
    const bool sends = op.call.op == v1::OPERATION_SEND;
    const std::uint32_t wired = wiring_.of(op.call.group, ref.rank);
    const PlainGroup& group = wiring_.at(wired);
    const std::uint32_t peer = group.members[op.call.peer_plus_1 - 1];
    op.seq = ++processes_[ref.rank].message_seqs[{op.call.group, peer, sends}];
    const std::uint32_t from = sends ? ref.rank : peer;
    const std::uint32_t to = sends ? peer : ref.rank;
    Mailbox& mailbox = mailboxes_[{wired, from, to, op.call.tag}];
    (sends ? mailbox.sends : mailbox.recvs).push_back(ref);
    if (sends) mailbox.slow_ns.push_back(slow_ns);
    if (sends && !late_sends_) {
      op.peers_ready = op.ready;
      push(now_ + 5 * kUs, Event::Kind::kEnd, ref);
    }
    if (processes_[peer].is_gone &&
        (sends ? mailbox.recvs : mailbox.sends).empty()) {
      return push(now_ + 100 * kUs, Event::Kind::kEnd, ref, true);
    }
    if (mailbox.sends.empty() || mailbox.recvs.empty()) return;
    deliver(mailbox);
  }

  void deliver(Mailbox& mailbox) {
    const OpRef send = mailbox.sends.front();
    const OpRef recv = mailbox.recvs.front();
    Random random(program_.seed, {15, send.rank, send.index});
    const auto bytes = static_cast<std::int64_t>(4 * at(send).call.elements);
    const std::int64_t took_ns =
        (20 * kUs + bytes) * random.between(100, 130) / 100 +
        mailbox.slow_ns.front();
    mailbox.sends.pop_front();
    mailbox.recvs.pop_front();
    mailbox.slow_ns.pop_front();
    at(recv).peers_ready = std::max(at(send).ready, at(recv).ready);
    push(now_ + took_ns, Event::Kind::kEnd, recv);
    if (!late_sends_) return;
    at(send).peers_ready = at(recv).peers_ready;
    push(now_ + took_ns, Event::Kind::kEnd, send);
  }

  void end(OpRef ref, bool failed) {
    Happened& op = at(ref);
    if (op.ended != kNever) return;
    op.ended = now_;
    op.failed = failed;
    history_.out_of_step |= failed;
    std::int64_t free_ns = now_;
    if (op.call.async && !endsOnlyInWait(op.call.op)) {
      op.stamped = free_ns = now_ + stampDelay(ref);
    }
    if (op.call.peer_plus_1 == 0) {
      Engine& engine = engineOf(ref);
      std::erase(engine.under_way, ref.index);
      push(free_ns, Event::Kind::kFree, ref);
      std::erase_if(engine.barriers, [&](std::uint32_t barrier) {
        if (engine.under_way.front() != barrier) return false;
        push(now_, Event::Kind::kJoin, {ref.rank, barrier});
        return true;
      });
    }
    if (processes_[ref.rank].waits_for == ref.index) {
      push(now_ + wakeDelay(ref), Event::Kind::kResume, {ref.rank, 0});
    }
  }

  std::int64_t stampDelay(OpRef ref) const {
    if (!has(program_.features, Feature::kLateStamps)) return 0;
    Random random(program_.seed, {16, ref.rank, ref.index});
    return random.oneIn(8) ? random.between(0, 5 * kMs)
                           : random.between(0, 20 * kUs);
  }
  // Returns the time until a woken thread runs.
  std::int64_t wakeDelay(OpRef ref) const {
    Random random(program_.seed, {17, ref.rank, ref.index});
    return random.oneIn(50) ? random.between(0, 2 * kMs)
                            : random.between(kUs, 30 * kUs);
  }

  // Starts a wait. Returns false if the rank sleeps and is resumed later.
  bool wait(std::uint32_t rank, const Statement& statement) {
    Process& process = processes_[rank];
    const OpRef ref{rank, process.by_handle.at(statement.handle)};
    process.waits_for = ref.index;
    process.by_work = statement.kind == Statement::Kind::kWait;
    if (process.by_work) at(ref).wait_began = now_;
    if (at(ref).ended != kNever) return wakeUp(rank);
    return false;
  }

  // Ends a wait. Returns false if its operation has not ended, or if its
  // failure ends the process.
  bool wakeUp(std::uint32_t rank) {
    Process& process = processes_[rank];
    Happened& op = at({rank, process.waits_for});
    if (op.ended == kNever) return false;
    process.waits_for = kNobody;
    if (process.by_work) op.wait_ended = now_;
    const FaultKind fault = program_.fault.kind;
    const bool catches =
        fault == FaultKind::kSwallowed || fault == FaultKind::kTimedOut;
    if (op.failed && !catches) {
      leave(rank, Ending::kRaised);
      return false;
    }
    op.released = now_ + kUs;
    return true;
  }

  // Ends the simulation: ranks that did not finish are blocked, and are killed.
  void finish() {
    for (const Process& process : processes_) history_.hung |= !process.is_over;
    const bool is_sound = !faultTakesPlace(program_) && !sharesNames(program_);
    if (is_sound) history_.fault_at = kNever;
    history_.end = now_ + (history_.hung ? program_.hang_ms * kMs : kMs);
    // An interrupt reaches only ranks in Python code; the others fail after it.
    const bool is_interrupted =
        program_.fault.cut_off == CutOff::kInterrupted &&
        std::any_of(processes_.begin(), processes_.end(),
                    [](const Process& process) {
                      return !process.is_over && process.waits_for == kNobody;
                    });
    for (std::uint32_t rank = 0; rank < program_.world; ++rank) {
      if (processes_[rank].is_over) continue;
      history_.ranks[rank].end = history_.end;
      if (!is_interrupted) continue;
      history_.ranks[rank].ending = Ending::kInterrupted;
      for (Happened& op : history_.ranks[rank].operations) {
        const bool waits = op.wait_began != kNever && op.wait_ended == kNever;
        if (!waits) continue;
        op.wait_ended = history_.end - kMs;
        op.failed = op.cut_off = true;
      }
    }
  }

  const Program& program_;
  const Unrolled unrolled_;
  const Wiring wiring_;
  History history_;
  Route route_ = Route::kDirect;
  bool late_sends_ = false;
  std::int64_t now_ = 0;
  std::uint64_t next_order_ = 0;
  std::priority_queue<Event, std::vector<Event>, LaterThan> events_;
  std::vector<Process> processes_;
  std::map<MeetingKey, Met> meetings_;
  std::map<
      std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::int32_t>,
      Mailbox>
      mailboxes_;
  // Operations that never end, by rank.
  std::vector<std::vector<std::uint32_t>> stuck_;
  // Operations that fail on all members, by rank, and whether a group is
  // closed.
  std::vector<std::vector<std::uint32_t>> failing_;
  std::vector<bool> closed_;
};

}  // namespace

bool endsOnlyInWait(v1::Operation op) {
  return op == v1::OPERATION_SEND || op == v1::OPERATION_RECV ||
         op == v1::OPERATION_REDUCE_SCATTER ||
         op == v1::OPERATION_REDUCE_SCATTER_TENSOR;
}

History simulate(const Program& program) { return Simulation(program).run(); }

}  // namespace traced::truth
