#include "recorder/symbolizer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <future>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "recorder/cpp_stack.h"
#include "recorder/loaded_code.h"
#include "support/temp_dir.h"

namespace traced {

// The program exports it, so that dladdr knows it.
[[gnu::noinline, gnu::visibility("default")]] CppStack stackOfExported() {
  CppStack stack = cppStackHere();
  asm volatile("" : : "r"(&stack) : "memory");
  return stack;
}

namespace {

using testing::TempDir;

constexpr std::chrono::seconds kPatience{60};

std::vector<v1::Code> codeHere() {
  v1::NewStack told;
  tellCppStack(stackOfExported(), nullptr, told);
  return {told.code().begin(), told.code().end()};
}

// Has all of the code named, as a reader can.
std::vector<v1::Code> named(std::unique_ptr<SymbolReader> reader,
                            const std::vector<v1::Code>& all) {
  SymbolReaders readers;
  readers.push_back(std::move(reader));
  Symbolizer symbolizer(std::move(readers));
  for (const v1::Code& code : all) symbolizer.ask(code);
  return symbolizer.finish(kPatience);
}

const v1::Code* find(const std::vector<v1::Code>& all, std::uint64_t id) {
  for (const v1::Code& code : all) {
    if (code.id() == id) return &code;
  }
  return nullptr;
}

// A program that is run in addr2line's place.
std::string program(const TempDir& dir, const std::string& script) {
  const std::string path = dir.path() + "/addr2line";
  std::ofstream(path) << "#!/bin/sh\n" << script;
  chmod(path.c_str(), 0755);
  return path;
}

v1::Code codeOf(std::uint64_t id, const std::string& binary) {
  v1::Code code;
  code.set_id(id);
  code.set_binary(binary);
  code.set_offset(id * 16);
  return code;
}

TEST(SymbolizerTest, DladdrKnowsWhatIsExported) {
  const std::vector<v1::Code> code = codeHere();
  const std::vector<v1::Code> names = named(dladdrReader(), code);
  const v1::Code* first = find(names, code.front().id());
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(first->function(), "traced::stackOfExported()");
  EXPECT_EQ(first->offset(), code.front().offset());
  EXPECT_EQ(first->file(), "");
}

TEST(SymbolizerTest, DladdrDoesNotNameAnotherBuildsCode) {
  std::vector<v1::Code> code = codeHere();
  code.front().set_id(code.front().id() + 1);  // as of another build id
  const std::vector<v1::Code> names = named(dladdrReader(), {code.front()});
  EXPECT_TRUE(names.empty());
  v1::Code gone = codeOf(5, "/no/such/library.so");
  EXPECT_TRUE(named(dladdrReader(), {gone}).empty());
}

TEST(SymbolizerTest, Addr2lineKnowsLines) {
  const std::vector<v1::Code> code = codeHere();
  const std::vector<v1::Code> names = named(addr2lineReader(), code);
  const v1::Code* first = find(names, code.front().id());
  ASSERT_NE(first, nullptr);
  EXPECT_NE(first->function().find("stackOfExported"), std::string::npos);
}

TEST(SymbolizerTest, WhatAddr2lineAnswersIsTakenAsFarAsItSaysAnything) {
  const TempDir dir;
  const std::string answers = program(dir, R"(
printf 'one(int)\n/job/one.cpp:12\n'
printf '??\n??:0\n'
printf 'three\nthree.cpp:?\n'
printf 'four\n/job/four.cpp:7 (discriminator 2)\n'
)");
  const std::vector<v1::Code> asked = {codeOf(1, "/a"), codeOf(2, "/a"),
                                       codeOf(3, "/a"), codeOf(4, "/a"),
                                       codeOf(5, "/a")};
  const std::vector<v1::Code> names = named(addr2lineReader(answers), asked);
  ASSERT_EQ(names.size(), 3u);
  const v1::Code* one = find(names, 1);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->function(), "one(int)");
  EXPECT_EQ(one->file(), "/job/one.cpp");
  EXPECT_EQ(one->line(), 12u);
  const v1::Code* three = find(names, 3);
  ASSERT_NE(three, nullptr);
  EXPECT_EQ(three->function(), "three");
  EXPECT_EQ(three->file(), "");
  const v1::Code* four = find(names, 4);
  ASSERT_NE(four, nullptr);
  EXPECT_EQ(four->line(), 7u);
}

TEST(SymbolizerTest, Addr2lineIsAskedOncePerBinaryAndSeesNothingOfTheJob) {
  const TempDir dir;
  const std::string log = dir.path() + "/log";
  const std::string asked =
      program(dir, "echo \"$@\" >>" + log + "\nls /proc/self/fd >>" + log +
                       "\necho \"preload=$LD_PRELOAD\" >>" + log + "\n");
  const int file = open("/dev/null", O_RDONLY);  // not closed on exec
  setenv("LD_PRELOAD", "", 1);
  named(addr2lineReader(asked),
        {codeOf(1, "/b"), codeOf(2, "/a"), codeOf(3, "/b")});
  unsetenv("LD_PRELOAD");
  close(file);
  std::ifstream in(log);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(),
            "-C -f -e /a 0x20\n0\n1\n2\n3\npreload=\n"
            "-C -f -e /b 0x10 0x30\n0\n1\n2\n3\npreload=\n");
}

TEST(SymbolizerTest, WhereAddr2lineCannotBeRunTheNextReaderIsAsked) {
  SymbolReaders readers;
  readers.push_back(addr2lineReader("/no/such/addr2line"));
  readers.push_back(dladdrReader());
  Symbolizer symbolizer(std::move(readers));
  const std::vector<v1::Code> code = codeHere();
  ::testing::internal::CaptureStderr();
  for (const v1::Code& call : code) symbolizer.ask(call);
  const std::vector<v1::Code> names = symbolizer.finish(kPatience);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "traced: TRACED_SYMBOLIZE=addr2line: cannot run "
            "/no/such/addr2line: No such file or directory; names are those "
            "that dladdr has\n");
  EXPECT_NE(find(names, code.front().id()), nullptr);
}

// A reader that does not come back until it is let go.
class Stuck final : public SymbolReader {
 public:
  explicit Stuck(std::shared_future<void> go) : go_(std::move(go)) {}
  void read(const std::string&, std::span<v1::Code* const> calls,
            const std::atomic<bool>&) override {
    go_.wait();
    for (v1::Code* call : calls) call->set_function("late");
  }

 private:
  const std::shared_future<void> go_;
};

TEST(SymbolizerTest, NobodyWaitsForAReaderThatIsStuck) {
  std::promise<void> go;
  SymbolReaders readers;
  readers.push_back(std::make_unique<Stuck>(go.get_future().share()));
  {
    Symbolizer symbolizer(std::move(readers));
    symbolizer.ask(codeOf(1, "/a"));
    symbolizer.ask(codeOf(2, "/a"));
    EXPECT_TRUE(symbolizer.take().empty());
    EXPECT_TRUE(symbolizer.finish(std::chrono::milliseconds(1)).empty());
  }
  go.set_value();
}

TEST(SymbolizerTest, ALookUpThatIsGivenUpEnds) {
  const TempDir dir;
  const std::string pids = dir.path() + "/pids";
  // Answers nothing, and would for ever.
  const std::string endless =
      program(dir, "echo $$ >" + pids + "\nexec sleep 1000\n");
  {
    SymbolReaders readers;
    readers.push_back(addr2lineReader(endless));
    Symbolizer symbolizer(std::move(readers));
    symbolizer.ask(codeOf(1, "/a"));
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!std::ifstream(pids).peek() ||
           std::ifstream(pids).peek() == std::ifstream::traits_type::eof()) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline);
      std::this_thread::yield();
    }
  }
  pid_t pid = 0;
  std::ifstream(pids) >> pid;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (kill(pid, 0) == 0) {  // until it is reaped
    ASSERT_LT(std::chrono::steady_clock::now(), deadline);
    std::this_thread::yield();
  }
}

TEST(SymbolizerTest, NamesAreCut) {
  EXPECT_EQ(readableName("_ZN6traced8CppStackC1Ev"),
            "traced::CppStack::CppStack()");
  EXPECT_EQ(readableName("main"), "main");
  EXPECT_EQ(readableName(std::string(2000, 'x')), std::string(512, 'x'));
}

}  // namespace
}  // namespace traced
