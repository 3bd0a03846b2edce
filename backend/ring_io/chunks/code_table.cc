#include "ring_io/chunks/code_table.h"

namespace traced {

void CodeTable::define(v1::Code code) {
  const std::uint64_t id = code.id();
  if (known_.count(id) > 0 || known_.size() >= kMostCode) return;
  new_.push_back(code);
  fresh_.push_back(id);
  known_[id].code = std::move(code);
}

bool CodeTable::name(v1::Code named) {
  const auto found = known_.find(named.id());
  if (found == known_.end()) return false;
  again_.push_back(named.id());
  found->second.code = std::move(named);
  found->second.put_in = 0;
  return true;
}

const v1::Code* CodeTable::useInThisChunk(std::uint64_t id) {
  const auto found = known_.find(id);
  if (found == known_.end() || found->second.put_in == chunk_) return nullptr;
  found->second.put_in = chunk_;
  return &found->second.code;
}

void CodeTable::repeat() {
  again_.clear();
  again_.reserve(known_.size());
  for (const auto& [id, entry] : known_) again_.push_back(id);
}

}  // namespace traced
