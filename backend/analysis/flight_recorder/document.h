// Document is a tree of plain values, as found in both pickles and JSON files.
// A pickle may share values and even contain cycles, so code that walks one
// must limit its steps.

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
// Not thread safe while values are added.
class Document {
 public:
  using Id = std::uint32_t;
  static constexpr std::size_t kMaxValues = std::size_t{1} << 24;

  // Returns the value passed to setRoot(), by default None.
  Value root() const;
  void setRoot(Id id) { root_ = id; }

  // Each function adds a value and returns its id. Beyond kMaxValues it adds
  // nothing and returns 0, the id of None; check full().
  Id addNone() { return add({}); }
  Id addBool(bool value) { return add(make(Kind::kBool, value)); }
  Id addInt(std::int64_t value) { return add(make(Kind::kInt, value)); }
  Id addDouble(double value);
  Id addText(std::string_view text);
  Id addList() { return addContainer(Kind::kList); }
  // The members of a dict are alternately keys and values.
  Id addDict() { return addContainer(Kind::kDict); }

  bool isList(Id id) const { return nodes_[id].kind == Kind::kList; }
  bool isDict(Id id) const { return nodes_[id].kind == Kind::kDict; }
  // Adds a member to a list, or a key or a value to a dict. `container` must be
  // one of these.
  void append(Id container, Id member);

  // Returns whether a value could not be added.
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
    // The number, its bits, the offset of the text, or the index of the
    // members.
    std::int64_t payload = 0;
  };

  static Node make(Kind kind, std::int64_t payload) {
    return {kind, 0, payload};
  }
  Id add(Node node);
  Id addContainer(Kind kind);

  // The first node is None and represents missing values.
  std::vector<Node> nodes_ = std::vector<Node>(1);
  std::vector<std::vector<Id>> members_;
  std::string texts_;
  Id root_ = 0;
  bool full_ = false;
};

// A value of a document, which must outlive it. Accessors for another kind of
// value return nullopt, false or an empty result.
class Value {
 public:
  Value() = default;
  Value(const Document* document, Document::Id id)
      : document_(document), id_(id) {}

  bool isList() const;
  bool isDict() const;
  std::optional<bool> asBool() const;
  std::optional<std::int64_t> asInt() const;
  // Also accepts an integer.
  std::optional<double> asDouble() const;
  std::optional<std::string_view> asText() const;
  // Returns the first kMaxNameBytes of a text, or "" for other kinds. Entries
  // may share one long text, so the work per entry must not depend on its
  // length.
  static constexpr std::size_t kMaxNameBytes = 1024;
  std::string_view asName() const;

  // Return the number of members of a list, and the i-th member. It is an empty
  // Value beyond the end.
  std::size_t size() const;
  Value at(std::size_t i) const;
  // Same for the pairs of key and value of a dict.
  std::size_t pairs() const;
  std::pair<Value, Value> pair(std::size_t i) const;
  // Returns the value of a key in a dict. Searches only the first 64 pairs.
  Value find(std::string_view key) const;

 private:
  const Document::Node* node() const;
  const std::vector<Document::Id>* members(Document::Kind kind) const;

  const Document* document_ = nullptr;
  Document::Id id_ = 0;
};

// Returns whether a text begins like a JSON object.
bool beginsAsJson(std::string_view text);

// Parses a JSON text. Fails if it is malformed or has too many values. Numbers
// beyond 64 bits become None. Time and memory grow with the input, not with its
// nesting.
Result<Document> readJson(std::string_view text);

// Returns whether bytes begin like a pickle of protocol 2 to 5.
bool beginsAsPickle(std::string_view bytes);

// Parses a pickle of plain data without executing anything: None, booleans,
// integers, floats, texts, bytes (as texts), lists, tuples (as lists) and
// dicts. Fails on damage, on more than Document::kMaxValues values, and on any
// opcode that such data does not need. Errors name the offset in bytes.
// Integers beyond 64 bits become None. Time and memory grow with the input, not
// with its nesting.
Result<Document> readPickle(std::string_view bytes);

}  // namespace traced
