// Document is a tree of plain values: what a pickle and a JSON file have in
// common. Values may be shared, and even hold themselves, since a pickle may
// say so: whoever walks one bounds its steps.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace traced {

class Value;

// Memory: 16 bytes per value, 24 per list or dict, 4 per member, and the texts.
class Document {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t kMaxValues = std::size_t{1} << 24;

  Value root() const;
  void setRoot(Id id) { root_ = id; }

  // Each adds a value. Beyond kMaxValues nothing is added; see full().
  Id addNone() { return add({}); }
  Id addBool(bool value) { return add(make(Kind::kBool, value)); }
  Id addInt(std::int64_t value) { return add(make(Kind::kInt, value)); }
  Id addDouble(double value);
  Id addText(std::string_view text);
  Id addList() { return addContainer(Kind::kList); }
  // The members of a dict are its keys and values in turn.
  Id addDict() { return addContainer(Kind::kDict); }

  bool isList(Id id) const { return nodes_[id].kind == Kind::kList; }
  bool isDict(Id id) const { return nodes_[id].kind == Kind::kDict; }
  // Only for a list or dict.
  void append(Id container, Id member);

  bool full() const { return full_; }

 private:
  friend class Value;

  enum class Kind : std::uint8_t {
    kNone,
    kBool,
    kInt,
    kDouble,
    kText,
    kList,
    kDict
  };

  struct Node {
    Kind kind = Kind::kNone;
    std::uint32_t text_bytes = 0;
    // The number, its bits, the place of the text, or the index of the members.
    std::int64_t payload = 0;
  };

  static Node make(Kind kind, std::int64_t payload) {
    return {kind, 0, payload};
  }
  Id add(Node node);
  Id addContainer(Kind kind);

  // The first is None, and stands for what is not there.
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<std::vector<Id>> members_;
  std::string texts_;
  Id root_ = 0;
  bool full_ = false;
};

// A value of a document, which must outlive it. What is asked of a value of
// another kind is absent, or empty.
class Value {
 public:
  Value() = default;
  Value(const Document* document, Document::Id id)
      : document_(document), id_(id) {}

  bool isList() const;
  bool isDict() const;
  std::optional<bool> asBool() const;
  std::optional<std::int64_t> asInt() const;
  // Also of an integer.
  std::optional<double> asDouble() const;
  std::optional<std::string_view> asText() const;
  // Returns the first kMaxNameBytes of a text, "" of anything else. Any number
  // of entries may share one long text, so their work must not depend on it.
  static constexpr std::size_t kMaxNameBytes = 1024;
  std::string_view asName() const;

  // Of a list: how many members, and each.
  std::size_t size() const;
  Value at(std::size_t i) const;
  // Of a dict: how many pairs, and each.
  std::size_t pairs() const;
  std::pair<Value, Value> pair(std::size_t i) const;
  // Of a dict: what stands under a key, looked for among its first 64.
  Value find(std::string_view key) const;

 private:
  const Document::Node* node() const;
  const std::vector<Document::Id>* members(Document::Kind kind) const;

  const Document* document_ = nullptr;
  Document::Id id_ = 0;
};

// Whether a text begins as a JSON object does.
bool beginsAsJson(std::string_view text);

// Reads a JSON text. A number beyond 64 bits becomes None. Time and memory grow
// with the input, however it is nested.
Result<Document> readJson(std::string_view text);

// Whether bytes begin as a pickle of protocol 2 to 5 does.
bool beginsAsPickle(std::string_view bytes);

// Reads a pickle that holds plain data, and executes nothing: None, booleans,
// integers, floats, texts, bytes (as texts), lists, tuples (as lists) and
// dicts. An opcode that could import or call code is an error that names it and
// its offset, as is damage. An integer beyond 64 bits becomes None. Time and
// memory grow with the input, however it is nested.
Result<Document> readPickle(std::string_view bytes);

}  // namespace traced
