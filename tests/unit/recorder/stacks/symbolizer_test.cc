#include "recorder/stacks/symbolizer.h"

#include <gtest/gtest.h>

#include <future>
#include <string>
#include <thread>
#include <vector>

#include "recorder/stacks/cpp_stack.h"
#include "recorder/stacks/loaded_code.h"

namespace traced {

// The program exports it, so that dladdr can name it.
[[gnu::noinline, gnu::visibility("default")]] CppStack stackOfExported() {
  CppStack stack = cppStackHere();
  asm volatile("" : : "r"(&stack) : "memory");
  return stack;
}

namespace {

constexpr std::chrono::seconds kPatience{60};

std::vector<v1::Code> codeHere() {
  v1::NewStack new_stack;
  describeCppStack(stackOfExported(), nullptr, new_stack);
  return {new_stack.code().begin(), new_stack.code().end()};
}

// Returns the code with names, as a reader would see it.
std::vector<v1::Code> named(std::unique_ptr<SymbolReader> reader,
                            const std::vector<v1::Code>& all) {
  Symbolizer symbolizer(std::move(reader));
  for (const v1::Code& code : all) symbolizer.ask(code);
  return symbolizer.finish(kPatience);
}

const v1::Code* find(const std::vector<v1::Code>& all, std::uint64_t id) {
  for (const v1::Code& code : all) {
    if (code.id() == id) return &code;
  }
  return nullptr;
}

v1::Code codeOf(std::uint64_t id, const std::string& binary) {
  v1::Code code;
  code.set_id(id);
  code.set_binary(binary);
  code.set_offset(id * 16);
  return code;
}

TEST(SymbolizerTest, DladdrNamesExportedFunctions) {
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
  code.front().set_id(code.front().id() + 1);  // like another build id
  const std::vector<v1::Code> names = named(dladdrReader(), {code.front()});
  EXPECT_TRUE(names.empty());
  v1::Code gone = codeOf(5, "/no/such/library.so");
  EXPECT_TRUE(named(dladdrReader(), {gone}).empty());
}

// A reader that blocks until it is released.
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

TEST(SymbolizerTest, DoesNotWaitForAStuckReader) {
  std::promise<void> go;
  {
    Symbolizer symbolizer(std::make_unique<Stuck>(go.get_future().share()));
    symbolizer.ask(codeOf(1, "/a"));
    symbolizer.ask(codeOf(2, "/a"));
    EXPECT_TRUE(symbolizer.take().empty());
    EXPECT_TRUE(symbolizer.finish(std::chrono::milliseconds(1)).empty());
  }
  go.set_value();
}

TEST(SymbolizerTest, TruncatesLongNames) {
  EXPECT_EQ(readableName("_ZN6traced8CppStackC1Ev"),
            "traced::CppStack::CppStack()");
  EXPECT_EQ(readableName("main"), "main");
  EXPECT_EQ(readableName(std::string(2000, 'x')), std::string(512, 'x'));
}

}  // namespace
}  // namespace traced
