#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "analysis/flight_recorder/document.h"
#include "analysis/flight_recorder/pickle_opcodes.h"

namespace traced {
namespace {

// For a single use. After the first problem, further steps have no effect and
// the loop ends.
class PickleReader {
 public:
  explicit PickleReader(std::string_view bytes) : bytes_(bytes) {}

  Result<Document> read() && {
    while (problem_.empty() && !stopped_) {
      offset_ = at_;
      step(static_cast<std::uint8_t>(unsignedNumber(1)));
      if (document_.full()) fail("more values than any dump has");
    }
    if (!problem_.empty()) return Error{problem_};
    return std::move(document_);
  }

 private:
  using Id = Document::Id;
  using Op = PickleOpcode;

  void step(std::uint8_t opcode) {
    if (!problem_.empty()) return;
    const auto op = static_cast<Op>(opcode);
    if (stepStack(op) || stepMemo(op) || stepNumber(op) || stepText(op) ||
        stepContainer(op)) {
      return;
    }
    if (const char* name = nameIfItRunsCode(opcode)) {
      return fail(absl::StrCat("opcode ", name,
                               " could import or call code, which plain data "
                               "does not need, so nothing of it is read"));
    }
    fail(absl::StrCat("opcode 0x", absl::Hex(opcode, absl::kZeroPad2),
                      " is none that plain data has"));
  }

  bool stepStack(Op op) {
    switch (op) {
      case Op::kProto:
        take(1);
        return true;
      case Op::kFrame:
        take(8);
        return true;
      case Op::kStop:
        document_.setRoot(pop());
        stopped_ = true;
        return true;
      case Op::kMark:
        marks_.push_back(stack_.size());
        return true;
      case Op::kPop:
        pop();
        return true;
      case Op::kPopMark:
        popToMark();
        return true;
      case Op::kDup:
        push(top());
        return true;
      default:
        return false;
    }
  }

  bool stepMemo(Op op) {
    switch (op) {
      case Op::kBinGet:
        recall(unsignedNumber(1));
        return true;
      case Op::kLongBinGet:
        recall(unsignedNumber(4));
        return true;
      case Op::kBinPut:
        memo_[unsignedNumber(1)] = top();
        return true;
      case Op::kLongBinPut:
        memo_[unsignedNumber(4)] = top();
        return true;
      case Op::kMemoize:
        memo_[memo_.size()] = top();
        return true;
      default:
        return false;
    }
  }

  bool stepNumber(Op op) {
    switch (op) {
      case Op::kNone:
        push(document_.addNone());
        return true;
      case Op::kTrue:
      case Op::kFalse:
        push(document_.addBool(op == Op::kTrue));
        return true;
      case Op::kBinInt1:
        pushInt(unsignedNumber(1));
        return true;
      case Op::kBinInt2:
        pushInt(unsignedNumber(2));
        return true;
      case Op::kBinInt:
        pushLong(4);
        return true;
      case Op::kLong1:
        pushLong(unsignedNumber(1));
        return true;
      case Op::kLong4:
        pushLong(unsignedNumber(4));
        return true;
      case Op::kBinFloat:
        pushFloat();
        return true;
      default:
        return false;
    }
  }

  bool stepText(Op op) {
    switch (op) {
      case Op::kShortBinUnicode:
      case Op::kShortBinString:
      case Op::kShortBinBytes:
        push(document_.addText(take(unsignedNumber(1))));
        return true;
      case Op::kBinUnicode:
      case Op::kBinString:
      case Op::kBinBytes:
        push(document_.addText(take(unsignedNumber(4))));
        return true;
      case Op::kBinUnicode8:
      case Op::kBinBytes8:
        push(document_.addText(take(unsignedNumber(8))));
        return true;
      default:
        return false;
    }
  }

  bool stepContainer(Op op) {
    switch (op) {
      case Op::kEmptyList:
      case Op::kEmptyTuple:
        push(document_.addList());
        return true;
      case Op::kEmptyDict:
        push(document_.addDict());
        return true;
      case Op::kList:
      case Op::kTuple:
        gather(document_.addList(), stackAboveMark());
        return true;
      case Op::kDict:
        gather(document_.addDict(), stackAboveMark());
        return true;
      case Op::kTuple1:
      case Op::kTuple2:
      case Op::kTuple3:
        gather(document_.addList(), static_cast<std::size_t>(op) -
                                        static_cast<std::size_t>(Op::kTuple1) +
                                        1);
        return true;
      case Op::kAppend:
        extend(1);
        return true;
      case Op::kSetItem:
        extend(2);
        return true;
      case Op::kAppends:
      case Op::kSetItems:
        extend(stackAboveMark());
        return true;
      default:
        return false;
    }
  }

  // Moves the last `count` values of the stack to `container`.
  void moveTo(Id container, std::size_t count) {
    if (stack_.size() < count) return fail("the stack is too short");
    if (document_.full()) return;
    const bool is_dict = document_.isDict(container);
    if (!is_dict && !document_.isList(container)) {
      return fail("members are added to a value that can have none");
    }
    if (is_dict && count % 2 != 0) return fail("a dict has half a pair");
    for (std::size_t i = stack_.size() - count; i < stack_.size(); ++i) {
      document_.append(container, stack_[i]);
    }
    stack_.resize(stack_.size() - count);
  }

  void gather(Id container, std::size_t count) {
    moveTo(container, count);
    push(container);
  }

  // Adds the last `count` values to the container below them.
  void extend(std::size_t count) {
    if (stack_.size() <= count) return fail("the stack is too short");
    moveTo(stack_[stack_.size() - 1 - count], count);
  }

  // Removes the last mark and returns the number of values above it.
  std::size_t stackAboveMark() {
    if (marks_.empty() || marks_.back() > stack_.size()) {
      fail("a mark is missing");
      return 0;
    }
    const std::size_t count = stack_.size() - marks_.back();
    marks_.pop_back();
    return count;
  }

  void popToMark() { stack_.resize(stack_.size() - stackAboveMark()); }

  void push(Id id) { stack_.push_back(id); }

  void pushInt(std::uint64_t value) {
    push(document_.addInt(static_cast<std::int64_t>(value)));
  }

  // Two's complement, little endian.
  void pushLong(std::uint64_t length) {
    const std::string_view digits = take(length);
    if (digits.size() > 8) return push(document_.addNone());
    std::uint64_t value = numberOf(digits);
    const bool negative =
        !digits.empty() && (static_cast<std::uint8_t>(digits.back()) & 0x80);
    if (negative && digits.size() < 8) {
      value |= ~std::uint64_t{0} << (8 * digits.size());
    }
    pushInt(value);
  }

  // Big endian, unlike everything else.
  void pushFloat() {
    const std::string_view digits = take(8);
    const std::string reversed(digits.rbegin(), digits.rend());
    push(document_.addDouble(std::bit_cast<double>(numberOf(reversed))));
  }

  Id top() {
    if (stack_.empty()) fail("the stack is empty");
    return stack_.empty() ? 0 : stack_.back();
  }

  Id pop() {
    const Id id = top();
    if (!stack_.empty()) stack_.pop_back();
    return id;
  }

  void recall(std::uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) return fail("the memo has no such value");
    push(found->second);
  }

  static std::uint64_t numberOf(std::string_view digits) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      value |= std::uint64_t{static_cast<std::uint8_t>(digits[i])} << (8 * i);
    }
    return value;
  }

  std::uint64_t unsignedNumber(std::size_t length) {
    return numberOf(take(length));
  }

  std::string_view take(std::uint64_t length) {
    if (length > bytes_.size() - at_) {
      fail("the pickle is cut off");
      return {};
    }
    const std::string_view taken = bytes_.substr(at_, length);
    at_ += length;
    return taken;
  }

  void fail(absl::string_view what) {
    if (problem_.empty()) {
      problem_ = absl::StrCat("byte ", offset_, ": ", what);
    }
  }

  const std::string_view bytes_;
  std::size_t at_ = 0;
  // Position of the current opcode.
  std::size_t offset_ = 0;
  bool stopped_ = false;
  std::string problem_;
  Document document_;
  std::vector<Id> stack_;
  // Heights of the stack.
  std::vector<std::size_t> marks_;
  absl::flat_hash_map<std::uint64_t, Id> memo_;
};

}  // namespace

bool beginsAsPickle(std::string_view bytes) {
  return bytes.size() >= 2 &&
         bytes[0] == static_cast<char>(PickleOpcode::kProto) && bytes[1] >= 2 &&
         bytes[1] <= 5;
}

Result<Document> readPickle(std::string_view bytes) {
  return PickleReader(bytes).read();
}

}  // namespace traced
