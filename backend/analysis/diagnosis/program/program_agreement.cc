#include "analysis/diagnosis/program/program_agreement.h"

namespace traced {

ProgramIndex::ProgramIndex(const ProgramCalls& program) : program_(program) {
  place_.reserve(program.calls.size());
  for (std::size_t i = 0; i < program.calls.size(); ++i) {
    const ProgramCall& call = program.calls[i];
    if (call.word != ProgramCalls::kEnd) place_[{call.role, call.seq}] = i;
  }
}

std::vector<Agreement> ProgramIndex::agreementsWith(
    const ProgramCalls& other) const {
  std::vector<Agreement> agreements;
  for (std::size_t i = 0; i < other.calls.size(); ++i) {
    const ProgramCall& call = other.calls[i];
    // Where the last agreement goes on, if it does.
    const bool goes_on = !agreements.empty() &&
                         agreements.back().other_end == i &&
                         agreements.back().end < program_.calls.size() &&
                         program_.calls[agreements.back().end] == call;
    if (goes_on) {
      ++agreements.back().end;
      ++agreements.back().other_end;
      continue;
    }
    const auto found = place_.find({call.role, call.seq});
    if (call.word == ProgramCalls::kEnd || found == place_.end()) continue;
    if (!(program_.calls[found->second] == call)) continue;
    agreements.push_back({found->second, found->second + 1, i + 1});
  }
  return agreements;
}

}  // namespace traced
