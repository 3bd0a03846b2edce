#include "truth/generate.h"

#include "truth/random.h"

namespace traced::truth {
namespace {

class Generator {
 public:
  Generator(std::uint64_t seed, const Features& features)
      : random_(seed, {30}) {
    program_.seed = program_.clock_seed = seed;
    program_.features = features;
  }

  Program make() {
    Random& random = random_;
    program_.world = random.oneOf<std::uint32_t>({2, 2, 3, 4, 4, 4, 6, 8});
    program_.ranks_per_host = program_.world;
    if (has(Feature::kHosts) && random.oneIn(3)) {
      program_.ranks_per_host = 1 + random.below(program_.world);
    }
    program_.steps = random.oneOf<std::uint32_t>({1, 2, 4, 8, 16, 30});
    program_.step_marks = !random.oneIn(4);
    program_.hang_ms = random.oneOf<std::int64_t>({100, 6'000, 60'000});
    addRoles();
    addItems();
    if (has(Feature::kFaults) && !random.oneIn(3)) addFault();
    vary();
    // Drawn separately, so that the other programs stay the same.
    program_.own_groups = has(Feature::kOwnGroups) &&
                          program_.roles.size() > 1 &&
                          Random(seed(), {31}).oneIn(12);
    if (has(Feature::kLongRuns) && random.oneIn(5'000)) makeLong();
    const bool is_long = program_.steps > kMaxSteps;
    if (has(Feature::kMoreFaults) && random.oneIn(12) && !is_long) makeFault();
    if (has(Feature::kCutOffs)) {
      program_.fault.cut_off = random.oneOf(
          {CutOff::kKilled, CutOff::kSeenKilled, CutOff::kTerminated,
           CutOff::kAborted, CutOff::kInterrupted});
    }
    if (has(Feature::kGradients) && Random(seed(), {32}).oneIn(12) &&
        !is_long) {
      makeGradients(Random(seed(), {33}));
    }
    return std::move(program_);
  }

 private:
  static constexpr std::uint32_t kMaxSteps = 30;
  std::uint64_t seed() const { return program_.seed; }

  bool has(Feature feature) const {
    return truth::has(program_.features, feature);
  }

  void addRoles() {
    const std::uint32_t world = program_.world;
    Ranks all;
    for (std::uint32_t rank = 0; rank < world; ++rank) all.push_back(rank);
    program_.roles.push_back({"default_pg", {all}});
    if (!has(Feature::kSubGroups) || world < 4 || world % 2 > 0) return;
    if (random_.oneIn(2)) {
      Role tp{"tp", {}};
      Role dp{"dp", {}};
      const std::uint32_t width = world % 4 == 0 && random_.oneIn(2) ? 4 : 2;
      for (std::uint32_t first = 0; first < world; first += width) {
        Ranks& group = tp.groups.emplace_back();
        for (std::uint32_t i = 0; i < width; ++i) group.push_back(first + i);
      }
      for (std::uint32_t first = 0; first < width; ++first) {
        Ranks& group = dp.groups.emplace_back();
        for (std::uint32_t rank = first; rank < world; rank += width) {
          group.push_back(rank);
        }
      }
      program_.roles.push_back(tp);
      if (world / width > 1) program_.roles.push_back(dp);
    }
    if (random_.oneIn(4)) {
      // Adds the same members again, and a group that some ranks are not in.
      program_.roles.push_back({"again", {all}});
      program_.roles.push_back({"half", {{0, world / 2}}});
    }
  }

  void addItems() {
    const std::uint32_t count =
        1 + random_.below(random_.oneOf<std::size_t>({2, 4, 10}));
    for (std::uint32_t i = 0; i < count; ++i) {
      Item& item = program_.items.emplace_back();
      item.id = i;
      item.role = random_.below(program_.roles.size());
      item.elements = random_.oneOf<std::uint64_t>({1, 64, 1'000, 250'000});
      item.dtype = random_.oneOf(
          {v1::DTYPE_FLOAT32, v1::DTYPE_FLOAT32, v1::DTYPE_INT32});
      item.reduce_op = random_.oneOf(
          {v1::REDUCE_OP_SUM, v1::REDUCE_OP_SUM, v1::REDUCE_OP_MAX});
      item.root = random_.below(8);
      item.compute_us = random_.oneOf<std::int64_t>({0, 100, 1'000, 10'000});
      item.waiting = random_.oneOf(
          {Waiting::kSync, Waiting::kSync, Waiting::kAsync, Waiting::kFuture});
      item.op = random_.oneOf(
          {v1::OPERATION_ALL_REDUCE, v1::OPERATION_ALL_REDUCE,
           v1::OPERATION_ALL_REDUCE, v1::OPERATION_BROADCAST,
           v1::OPERATION_REDUCE, v1::OPERATION_ALL_GATHER,
           v1::OPERATION_ALL_GATHER_INTO_TENSOR, v1::OPERATION_GATHER,
           v1::OPERATION_SCATTER, v1::OPERATION_REDUCE_SCATTER_TENSOR,
           v1::OPERATION_ALL_TO_ALL_SINGLE, v1::OPERATION_BARRIER});
      item.uneven = random_.oneIn(2);
      const bool collects = item.op == v1::OPERATION_GATHER ||
                            item.op == v1::OPERATION_REDUCE ||
                            item.op == v1::OPERATION_SCATTER;
      if (collects && !has(Feature::kBusyRoots)) item.elements = 64;
      const bool only_wait = endsInWait(item.op);
      if (only_wait && item.waiting == Waiting::kFuture) {
        item.waiting = Waiting::kAsync;
      }
      if (has(Feature::kMessages) && random_.oneIn(5)) {
        item.kind = random_.oneOf({ItemKind::kExchange, ItemKind::kPipeline});
        item.tag = static_cast<std::int32_t>(random_.below(2));
        if (!has(Feature::kHeldUp)) item.elements = 64;
        if (item.waiting == Waiting::kFuture) item.waiting = Waiting::kAsync;
      }
    }
  }

  static bool endsInWait(v1::Operation op) {
    return op == v1::OPERATION_REDUCE_SCATTER_TENSOR;
  }

  void addFault() {
    Fault& fault = program_.fault;
    fault.rank = random_.below(program_.world);
    fault.step = random_.below(program_.steps);
    const Item& item = program_.items[random_.below(program_.items.size())];
    fault.item = item.id;
    fault.consequence = random_.oneOf(
        {Consequence::kHang, Consequence::kFail, Consequence::kProceed});
    fault.kind = static_cast<FaultKind>(1 + random_.below(kFaultKinds - 1));
    fault.ns = random_.oneOf<std::int64_t>({3'000'000, 20'000'000, 40'000'000});
    if (fault.kind == FaultKind::kLate) fault.ns = 2'500'000'000;
    if (fault.kind == FaultKind::kSlowLink) fault.ns = 20'000'000;
  }

  // Makes the run so long that diagnosis does not time each operation; see
  // job_state.cc.
  void makeLong() {
    program_.items.resize(1);
    Item& item = program_.items[0];
    item.kind = ItemKind::kCollective;
    item.op = v1::OPERATION_ALL_REDUCE;
    item.role = 0;
    item.waiting = Waiting::kSync;
    item.compute_us = 20;
    program_.ranks_per_host = program_.world;
    program_.steps = 300'000 / program_.world;
    program_.variation = {};
    program_.fault = {};
    program_.fault.kind = FaultKind::kLate;
    program_.fault.step = 1 + random_.below(program_.steps - 1);
    program_.fault.ns = 2'500'000'000;
  }

  // Plants a fault that affects several ranks, in a program with one collective
  // of all ranks.
  void makeFault() {
    Fault& fault = program_.fault;
    fault.kind = random_.oneOf({FaultKind::kLateInTurn, FaultKind::kStragglers,
                                FaultKind::kSwallowed, FaultKind::kTimedOut});
    fault.consequence = Consequence::kFail;
    fault.rank = random_.below(program_.world);
    program_.steps = random_.oneOf<std::uint32_t>({16, kMaxSteps});
    fault.step = 2 + random_.below(program_.steps - 4);
    program_.items.resize(1);
    Item& item = program_.items[0];
    fault.item = item.id;
    item.kind = ItemKind::kCollective;
    item.role = 0;
    item.waiting = Waiting::kSync;
    fault.ns =
        fault.kind == FaultKind::kStragglers ? 40'000'000 : 2'500'000'000;
    if (fault.kind == FaultKind::kTimedOut) fault.ns = 6'000'000'000;
  }

  // Makes a training: replicas of some ranks reduce gradients, something
  // carries data between the replicas, and all ranks sum a metric. The fault
  // removes what carries data. Drawn separately, so that the other programs
  // stay the same.
  void makeGradients(Random random) {
    const std::uint32_t world = program_.world;
    const std::uint32_t width =
        world % 2 == 0 && world > 2 && random.oneIn(2) ? 2 : 1;
    Role replica{"replica", {}};
    for (std::uint32_t first = 0; first < world; first += width) {
      Ranks& group = replica.groups.emplace_back();
      for (std::uint32_t i = 0; i < width; ++i) group.push_back(first + i);
    }
    program_.roles.resize(1);
    program_.roles.push_back(replica);
    program_.own_groups = false;
    // Ranks that call from lines of their own may run different programs.
    program_.features.reset(static_cast<std::size_t>(Feature::kCallSites));
    program_.steps = random.oneOf<std::uint32_t>({16, kMaxSteps});
    program_.items.clear();
    const std::uint32_t buckets = 1 + random.below(3);
    for (std::uint32_t i = 0; i < buckets; ++i) {
      Item& bucket = addTrainingItem(1);
      bucket.elements = random.oneOf<std::uint64_t>({64, 1'000, 250'000});
      bucket.waiting = random.oneOf({Waiting::kSync, Waiting::kAsync});
      bucket.in_backward = true;
    }
    const std::uint32_t crossing = addCrossing(random);
    addTrainingItem(0).elements = 1;
    program_.fault = {};
    if (!random.oneIn(2)) return;
    program_.fault.kind = FaultKind::kUnsynchronised;
    program_.fault.item = crossing;
  }

  Item& addTrainingItem(std::uint32_t role) {
    Item& item = program_.items.emplace_back();
    item.id = static_cast<std::uint32_t>(program_.items.size() - 1);
    item.role = role;
    item.compute_us = 100;
    return item;
  }

  // Adds what carries data between all ranks. Returns its id.
  std::uint32_t addCrossing(Random& random) {
    Item& item = addTrainingItem(0);
    item.elements = random.oneOf<std::uint64_t>({64, 1'000});
    switch (random.below(5)) {
      case 0:
        item.in_backward = true;
        item.elements = 1;
        break;
      case 1:
        item.op = v1::OPERATION_REDUCE_SCATTER_TENSOR;
        item.in_backward = true;
        break;
      case 2:
        item.op = v1::OPERATION_ALL_GATHER_INTO_TENSOR;
        break;
      case 3:
        item.op = v1::OPERATION_BROADCAST;
        break;
      default:
        item.kind = ItemKind::kExchange;
        item.waiting = Waiting::kAsync;
        break;
    }
    return item.id;
  }

  void vary() {
    Variation& variation = program_.variation;
    variation.recovered = true;
    if (has(Feature::kCuts) && random_.oneIn(3)) {
      variation.recovered = random_.oneIn(2);
      if (random_.oneIn(2)) {
        variation.killed_at_percent = 1 + random_.below(99);
      }
      variation.lost_chunk = random_.oneIn(4);
      variation.lost_chunk_of = random_.below(program_.world);
      if (random_.oneIn(3)) {
        variation.missing = 1 + random_.below(program_.world - 1);
        variation.missing_from = random_.below(program_.world);
      }
    }
    variation.merged = has(Feature::kMerges) && random_.oneIn(4);
    variation.beside_older = has(Feature::kOlderRuns) && random_.oneIn(3);
  }

  Random random_;
  Program program_;
};

}  // namespace

Program generate(std::uint64_t seed, const Features& features) {
  return Generator(seed, features).make();
}

}  // namespace traced::truth
