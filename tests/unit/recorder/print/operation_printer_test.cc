// Tests the lines on the job's standard error for each operation.

#include "recorder/print/operation_printer.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "support/filled_ring.h"

namespace traced {
namespace {

using Json = nlohmann::json;

constexpr int kLongMs = 60'000;

class OperationPrinterTest : public ::testing::Test {
 protected:
  OperationPrinterTest()
      : memory_(Ring::bytesFor(kSlots) / sizeof(RingSlot)),
        ring_(memory_.data(), kSlots),
        builder_(v1::Header()) {
    GroupInfo info;
    info.leg = "cpu";
    info.members = {0, 1};
    testing::define(ring_, RecordKind::kDefineGroup, 1,
                    encodeGroup(1, info, 0));
    const CallDescription call(Operation::kAllReduce, 1);
    ring_.pushDefinition(RecordKind::kDefineCall, {1, kUntilRetired},
                         call.bytes(), call.byteSize());
  }

  void define(std::uint32_t stack, const std::string& file) {
    v1::NewStack new_stack;
    new_stack.mutable_stack()->set_site(1);
    v1::Frame& frame = *new_stack.mutable_stack()->add_frame();
    frame.set_file(file);
    frame.set_line(12);
    testing::define(ring_, RecordKind::kDefineStack, stack, new_stack);
  }
  void issue(std::uint32_t stack) {
    ring_.push(RecordKind::kIssue,
               IssueRecord{0, ++seq_, 0, 1, 0, 1, 0, stack});
  }

  // Returns the standard error output of one operation.
  std::string printed() {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const int own = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    OperationPrinter printer({PrintMode::kAll, false}, {}, builder_,
                             v1::Header());
    Ring::Record record;
    while (ring_.read(record)) {
      builder_.add(record);
      printer.print(record);
    }
    pollfd reader{ends[0], POLLIN, 0};
    std::string text(LineOutput::kMaxLineBytes, '\0');
    const ssize_t bytes = poll(&reader, 1, kLongMs) == 1
                              ? read(ends[0], text.data(), text.size())
                              : 0;
    printer.finish();
    EXPECT_EQ(printer.dropped(), 0u);
    dup2(own, STDERR_FILENO);
    for (const int fd : {ends[0], ends[1], own}) close(fd);
    return text.substr(0, static_cast<std::size_t>(bytes));
  }

  static constexpr std::uint64_t kSlots = 1024;
  std::vector<RingSlot> memory_;
  Ring ring_;
  ChunkBuilder builder_;
  std::uint64_t seq_ = 0;
};

TEST_F(OperationPrinterTest, ALineHasTheCallSite) {
  define(7, "train.py");
  issue(7);
  const Json line = Json::parse(printed());
  EXPECT_EQ(line["name"], "all_reduce");
  EXPECT_EQ(line.value("source_line", ""), "train.py:12");
}

TEST_F(OperationPrinterTest, AnUnknownCallSiteIsOmitted) {
  issue(0);
  EXPECT_FALSE(Json::parse(printed()).contains("source_line"));
}

TEST_F(OperationPrinterTest, PrintsTheEndOfALongName) {
  define(7, std::string(1000, 'x') + "/train.py");
  issue(7);
  const Json line = Json::parse(printed());
  EXPECT_EQ(line.value("source_line", ""),
            std::string(191, 'x') + "/train.py:12");
}

}  // namespace
}  // namespace traced
