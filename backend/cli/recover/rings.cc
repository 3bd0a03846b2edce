#include <algorithm>
#include <charconv>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "analysis/reading/stream_loader.h"
#include "cli/common/complain.h"
#include "cli/common/subcommand.h"
#include "cli/inputs/live_set.h"
#include "phrasing/text.h"
#include "trace_io/chunk_format.h"
#include "trace_io/varint.h"

namespace traced {
namespace {

class Rings : public Subcommand {
 public:
  void declare(CLI::App& app) override {
    app.add_option("INPUT", inputs_, "Trace files, or directories of them")
        ->required();
    app.add_option("--after", after_,
                   "STREAM:POSITION, in hexadecimal and decimal: of this "
                   "stream also what files have from there on")
        ->allow_extra_args(false);
  }

  ExitCode run() override {
    LiveSet live(inputs_);
    const Result<TraceSet> set = live.refresh();
    if (!set) {
      complain(set.error().message);
      return ExitCode::kNothingReadable;
    }
    const Positions after = positions();
    StreamLoader loader(*set);
    for (const TraceStream& stream : set->streams) {
      write(*set, stream, after, loader);
    }
    std::cout.flush();
    for (const std::string& warning : live.warnings()) {
      std::cerr << "tracectl: warning: " << printable(warning) << "\n";
    }
    return ExitCode::kFine;
  }

 private:
  using Positions = std::map<std::uint64_t, std::uint64_t>;

  // Parses the positions. Ignores invalid ones.
  Positions positions() const {
    Positions positions;
    for (const std::string& text : after_) {
      const std::size_t colon = std::min(text.find(':'), text.size());
      const char* const middle = text.data() + colon;
      const char* const end = text.data() + text.size();
      std::uint64_t stream = 0;
      std::uint64_t position = 0;
      std::from_chars(text.data(), middle, stream, 16);
      if (middle == end) continue;
      std::from_chars(middle + 1, end, position);
      positions[stream] = position;
    }
    return positions;
  }

  static void write(const TraceSet& set, const TraceStream& stream,
                    const Positions& after, StreamLoader& loader) {
    const auto known = after.find(stream.header.stream_id());
    for (const ChunkRef& chunk : stream.chunks) {
      const bool wanted =
          set.files[chunk.file].from_rings ||
          (known != after.end() && chunk.end_position >= known->second);
      if (wanted) writeChunk(loader.body(chunk));
    }
  }

  // Writes a chunk as in a file: tag, length, chunk.
  static void writeChunk(std::string_view body) {
    if (body.empty()) return;
    std::string framing = {static_cast<char>(kTagChunk)};
    appendVarint(framing, body.size());
    std::cout << framing << body;
  }

  std::vector<std::string> inputs_;
  std::vector<std::string> after_;
};

}  // namespace

std::unique_ptr<Subcommand> makeRings() { return std::make_unique<Rings>(); }

}  // namespace traced
