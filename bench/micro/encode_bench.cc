// Measures the writer thread: it adds up records, encodes them into chunks, and
// appends the chunks to a file. Reports time and file bytes per record.
//
//   build/release/bench/encode_bench
//
// regular: the collectives of a training step, 40 with 4 shapes, at intervals
// that vary by a few percent. random: gaps and durations distributed evenly
// over six decades, which nothing can compress.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <random>

#include "recorder/metrics/operation_sums.h"
#include "ring_io/chunks/chunk_builder.h"
#include "ring_io/sinks/file_sink.h"
#include "support/bench_recorder.h"
#include "trace_io/chunk_encoder.h"

namespace traced::bench {
namespace {

constexpr std::int64_t kOperations = 10'000;
constexpr std::int64_t kRecords = 4 * kOperations;

class Gaps {
 public:
  explicit Gaps(bool regular) : regular_(regular) {}

  // Returns about `usual` ns in regular mode, or any duration in random mode.
  std::int64_t next(double usual) {
    if (!regular_) {
      return static_cast<std::int64_t>(std::pow(10, 2 + 6 * even_(random_)));
    }
    return static_cast<std::int64_t>(usual * (1 + 0.03 * normal_(random_)));
  }

 private:
  const bool regular_;
  std::mt19937_64 random_{1};
  std::uniform_real_distribution<double> even_;
  std::normal_distribution<double> normal_;
};

using Records = std::deque<Ring::Record>;

void addRecord(Records& all, std::uint64_t position, RecordKind kind,
               std::string bytes) {
  Ring::Record& record = all.emplace_back();
  record.position = position;
  record.kind = kind;
  record.joined = std::move(bytes);
  record.payload = record.joined;
}

void addDefinition(Records& all, RecordKind kind, std::uint32_t id,
                   const void* content, std::size_t bytes) {
  const DefinitionHead head{id, id};
  std::string joined(reinterpret_cast<const char*>(&head), sizeof head);
  joined.append(static_cast<const char*>(content), bytes);
  addRecord(all, 0, kind, std::move(joined));
}

template <typename Event>
void addEvent(Records& all, std::uint64_t position, RecordKind kind,
              const Event& e) {
  addRecord(all, position, kind,
            std::string(reinterpret_cast<const char*>(&e), sizeof e));
}

// Returns records as the ring returns them: definitions first, then kRecords
// events.
Records records(bool regular) {
  constexpr std::uint32_t kShapes = 4, kBuffers = 40;
  Records all;
  for (std::uint32_t id = 1; id <= kShapes; ++id) {
    CallDescription call(Operation::kAllReduce, 1);
    const std::int64_t shape[] = {1024, 256 * id};
    call.addInput(DType::kFloat32, shape, std::uint64_t{1} << (20 + id));
    addDefinition(all, RecordKind::kDefineCall, id, call.bytes(),
                  call.byteSize());
  }
  for (std::uint32_t id = 1; id <= kBuffers; ++id) {
    BufferList list;
    list.add({0x7f0000000000 + id * 0x1000000ull, 0, 4 << 20});
    addDefinition(all, RecordKind::kDefineBuffers, id, list.bytes(),
                  list.byteSize());
  }
  Gaps gaps(regular);
  std::int64_t now = 1'000'000'000'000;
  std::uint64_t at = 100;
  for (std::uint32_t i = 0; i < kOperations; ++i) {
    const OpId op = at++;
    addEvent(
        all, op, RecordKind::kIssue,
        IssueRecord{now, i + 1, 0, 1 + i % kBuffers / 10, 1 + i % kBuffers, 1});
    const std::int64_t returned = now + gaps.next(20'000);
    addEvent(all, at++, RecordKind::kReturn,
             ReturnRecord{op, returned, 0, Outcome::kOk});
    const std::int64_t begin = returned + gaps.next(2'000);
    const std::int64_t waited = gaps.next(500'000);
    addEvent(all, at++, RecordKind::kWait,
             WaitRecord{op, begin, static_cast<std::uint64_t>(waited), 0, 0, 0,
                        Outcome::kOk, true});
    now = begin + waited + gaps.next(1'000);
    addEvent(all, at++, RecordKind::kRelease, ReleaseRecord{op, now});
    now += gaps.next(1'000'000);
  }
  return all;
}

const v1::Header& header() {
  static const v1::Header header = [] {
    v1::Header h;
    h.set_schema(1);
    h.set_host("node-0");
    return h;
  }();
  return header;
}

const std::string& encodeOnce(ChunkBuilder& builder, ChunkEncoder& encoder,
                              const Records& all) {
  for (const Ring::Record& record : all) builder.add(record);
  const v1::Payload& payload = builder.close(readClocks(), {});
  const std::string& chunk = encoder.encode(payload, {1, 0, all.size()});
  builder.clear();
  return chunk;
}

double bytesPerOperation(const Records& all, int level) {
  ChunkBuilder builder(header());
  ChunkEncoder encoder(level);
  return static_cast<double>(encodeOnce(builder, encoder, all).size()) /
         kOperations;
}

void encode(benchmark::State& state, bool regular) {
  const Records all = records(regular);
  ChunkBuilder builder(header());
  ChunkEncoder encoder;
  for (auto _ : state) {
    benchmark::DoNotOptimize(encodeOnce(builder, encoder, all).data());
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
  const double raw = bytesPerOperation(all, 0);
  const double packed = bytesPerOperation(all, 1);
  state.counters["raw_bytes_per_op"] = raw;
  state.counters["bytes_per_op"] = packed;
  state.counters["raw_bytes_per_record"] = raw * kOperations / kRecords;
  state.counters["bytes_per_record"] = packed * kOperations / kRecords;
}

// Adds up all records of one writer interval at once.
void addUp(benchmark::State& state) {
  const Records all = records(true);
  ChunkBuilder builder(header());
  for (const Ring::Record& record : all) builder.add(record);
  for (auto _ : state) {
    OperationSums sums(builder);
    std::int64_t polled_ns = 0;
    for (const Ring::Record& record : all) {
      sums.update(record);
      if (record.kind != RecordKind::kIssue) continue;
      const std::int64_t now_ns = record.as<IssueRecord>().issue_ns;
      if (now_ns - polled_ns < 50'000'000) continue;
      benchmark::DoNotOptimize(sums.figures(now_ns));
      polled_ns = now_ns;
    }
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
}

void append(benchmark::State& state) {
  ChunkBuilder builder(header());
  ChunkEncoder encoder;
  const std::string chunk = encodeOnce(builder, encoder, records(true));
  Options options;
  options.directory = temporaryDirectory();
  auto sink = FileSink::create(options, {}, readHostInfo());
  for (auto _ : state) (*sink)->append(chunk, kRecords);
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(chunk.size()));
}

BENCHMARK_CAPTURE(encode, regular, true)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(encode, random, false)->Unit(benchmark::kMillisecond);
BENCHMARK(addUp)->Unit(benchmark::kMillisecond);
BENCHMARK(append)->Unit(benchmark::kMillisecond)->Iterations(200);

}  // namespace
}  // namespace traced::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::atexit(
      [] { std::filesystem::remove_all(traced::bench::temporaryDirectory()); });
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
