// Provides the recorder of a benchmark process. It writes into a temporary
// directory that is removed at exit.

#pragma once

#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "recorder/recorder.h"

namespace traced::bench {

inline std::string& temporaryDirectory() {
  static std::string directory = [] {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "traced-bench-XXXXXX")
            .string();
    return std::string(mkdtemp(pattern.data()));
  }();
  return directory;
}

inline Recorder& recorder() {
  static Recorder* const started = [] {
    temporaryDirectory();
    std::atexit([] {
      Recorder::stopCurrent(std::chrono::seconds(5));
      std::filesystem::remove_all(temporaryDirectory());
    });
    Options options;
    options.directory = temporaryDirectory();
    options.ring_slots = std::uint64_t{1} << 20;
    auto recorder = Recorder::start(options, {});
    if (!recorder) {
      std::fprintf(stderr, "%s\n", recorder.error().message.c_str());
      std::exit(1);
    }
    return *recorder;
  }();
  return *started;
}

inline std::unique_ptr<RecordedGroup> makeGroup(std::string backend = "gloo") {
  GroupInfo info;
  info.backend = std::move(backend);
  info.leg = "cpu";
  info.members = {0, 1};
  return recorder().addGroup(std::move(info));
}

// Flushes the ring, so that the timed calls find room in it.
inline void emptyRing() { recorder().flush(std::chrono::seconds(10)); }

}  // namespace traced::bench
