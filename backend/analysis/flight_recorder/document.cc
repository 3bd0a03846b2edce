#include "analysis/flight_recorder/document.h"

#include <algorithm>
#include <bit>

namespace traced {

Value Document::root() const { return {this, root_}; }

Document::Id Document::add(Node node) {
  if (nodes_.size() >= kMaxValues) {
    full_ = true;
    return 0;
  }
  nodes_.push_back(node);
  return static_cast<Id>(nodes_.size() - 1);
}

Document::Id Document::addDouble(double value) {
  return add(make(Kind::kDouble, std::bit_cast<std::int64_t>(value)));
}

Document::Id Document::addText(std::string_view text) {
  Node node = make(Kind::kText, static_cast<std::int64_t>(texts_.size()));
  node.text_bytes = static_cast<std::uint32_t>(text.size());
  const Id id = add(node);
  if (id != 0) texts_.append(text);
  return id;
}

Document::Id Document::addContainer(Kind kind) {
  const Id id = add(make(kind, static_cast<std::int64_t>(members_.size())));
  if (id != 0) members_.emplace_back();
  return id;
}

void Document::append(Id container, Id member) {
  members_[static_cast<std::size_t>(nodes_[container].payload)].push_back(
      member);
}

const Document::Node* Value::node() const {
  return document_ ? &document_->nodes_[id_] : nullptr;
}

const std::vector<Document::Id>* Value::members(Document::Kind kind) const {
  const Document::Node* node = this->node();
  if (!node || node->kind != kind) return nullptr;
  return &document_->members_[static_cast<std::size_t>(node->payload)];
}

bool Value::isList() const { return members(Document::Kind::kList); }

bool Value::isDict() const { return members(Document::Kind::kDict); }

std::optional<bool> Value::asBool() const {
  const Document::Node* node = this->node();
  if (!node || node->kind != Document::Kind::kBool) return std::nullopt;
  return node->payload != 0;
}

std::optional<std::int64_t> Value::asInt() const {
  const Document::Node* node = this->node();
  if (!node || node->kind != Document::Kind::kInt) return std::nullopt;
  return node->payload;
}

std::optional<double> Value::asDouble() const {
  const Document::Node* node = this->node();
  if (!node || node->kind != Document::Kind::kDouble) {
    const auto number = asInt();
    if (!number) return std::nullopt;
    return static_cast<double>(*number);
  }
  return std::bit_cast<double>(node->payload);
}

std::optional<std::string_view> Value::asText() const {
  const Document::Node* node = this->node();
  if (!node || node->kind != Document::Kind::kText) return std::nullopt;
  return std::string_view(document_->texts_)
      .substr(static_cast<std::size_t>(node->payload), node->text_bytes);
}

std::string_view Value::asName() const {
  return asText().value_or("").substr(0, kMaxNameBytes);
}

std::size_t Value::size() const {
  const auto* list = members(Document::Kind::kList);
  return list ? list->size() : 0;
}

Value Value::at(std::size_t i) const {
  const auto* list = members(Document::Kind::kList);
  return list && i < list->size() ? Value(document_, (*list)[i]) : Value();
}

std::size_t Value::pairs() const {
  const auto* dict = members(Document::Kind::kDict);
  return dict ? dict->size() / 2 : 0;
}

std::pair<Value, Value> Value::pair(std::size_t i) const {
  const auto* dict = members(Document::Kind::kDict);
  if (!dict || i >= dict->size() / 2) return {};
  return {Value(document_, (*dict)[2 * i]),
          Value(document_, (*dict)[2 * i + 1])};
}

// Entries may share one large dict, so the search is limited.
Value Value::find(std::string_view key) const {
  constexpr std::size_t kMaxPairs = 64;
  const std::size_t end = std::min(pairs(), kMaxPairs);
  for (std::size_t i = 0; i < end; ++i) {
    const auto [name, value] = pair(i);
    if (name.asText() == key) return value;
  }
  return {};
}

}  // namespace traced
