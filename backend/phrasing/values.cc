#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "phrasing/phrase.h"
#include "phrasing/text.h"
#include "phrasing/words.h"

namespace traced {
namespace {

struct ValuePhrases {
  const JobState& job;

  // Returns "rank 2; ranks 0-1,3": ranks with equal data.
  static std::string setsText(const std::vector<Ranks>& equal) {
    return absl::StrJoin(equal, "; ", [](std::string* out, const Ranks& ranks) {
      absl::StrAppend(out, ranksText(ranks));
    });
  }

  std::string operator()(const TransferDiffers& fact) const {
    return absl::StrCat(
        capitalRanks(fact.wrong), fact.wrong.size() == 1 ? " holds" : " hold",
        " other data than rank ", fact.sender, " sent in ",
        stuckText(job, fact.operation), " (", bytesText(fact.bytes), ")",
        fact.right.empty()
            ? ""
            : absl::StrCat("; ", ranksVerb(fact.right, "holds", "hold"),
                           " the same"),
        ".");
  }
  std::string operator()(const ReceiversDiffer& fact) const {
    return absl::StrCat("Ranks hold different data from rank ", fact.sender,
                        " after ", stuckText(job, fact.operation), " (",
                        bytesText(fact.bytes),
                        "). Equal are: ", setsText(fact.equal), ".");
  }
  std::string operator()(const ResultsDiffer& fact) const {
    return absl::StrCat("Ranks hold different results of ",
                        stuckText(job, fact.operation), " (",
                        bytesText(fact.bytes),
                        "). Equal are: ", setsText(fact.equal), ".");
  }
  std::string operator()(const SumDiffers& fact) const {
    return absl::StrCat(
        capitalRanks(fact.wrong), fact.wrong.size() == 1 ? " holds" : " hold",
        " a result of ", stuckText(job, fact.operation), " (",
        bytesText(fact.bytes), ") that is not the sum of the inputs",
        fact.right.empty()
            ? ""
            : absl::StrCat("; ", ranksVerb(fact.right, "holds", "hold"),
                           " the sum"),
        ".");
  }
  std::string operator()(const InputChanged& fact) const {
    return absl::StrCat(capitalRanks(fact.ranks), " changed the input of ",
                        stuckText(job, fact.operation), " (",
                        bytesText(fact.bytes),
                        ") before waiting for the operation.");
  }
  std::string operator()(const NanEntered& fact) const {
    return absl::StrCat("NaN began on ", ranksText(fact.ranks), ": ",
                        groupedText(fact.nan), " of ",
                        groupedText(fact.elements), " input elements of ",
                        stuckText(job, fact.operation), ".");
  }
  std::string operator()(const GrowsTowardsLimit& fact) const {
    return absl::StrCat(
        "Inputs of ", stuckText(job, fact.operation), " grew from ",
        absl::StrFormat("%.3g to %.3g", fact.first_maximum, fact.last_maximum),
        " on ", ranksText(fact.ranks), "; ", fact.dtype, " ends at ",
        absl::StrFormat("%.3g", fact.largest), ".");
  }
  std::string operator()(const Saturates& fact) const {
    return absl::StrCat(
        groupedText(fact.saturated), " of ", groupedText(fact.elements),
        " input elements of operations up to ", stuckText(job, fact.operation),
        ", on ", ranksText(fact.ranks), ", are the largest number of ",
        fact.dtype, ", ", absl::StrFormat("%.6g", fact.largest),
        ": larger ones were probably cut off.");
  }
  std::string operator()(const SumOverflows& fact) const {
    return absl::StrCat(
        "The ", fact.dtype, " sum of ", stuckText(job, fact.operation),
        " is infinite though all inputs were finite. It happened in ",
        groupedText(fact.operations), " operations, last in #", fact.last_seq,
        ".");
  }
  std::string operator()(const NormStandsOut& fact) const {
    return absl::StrCat(
        "The input of rank ", fact.rank, " in ", stuckText(job, fact.operation),
        " has an L2 norm of ",
        absl::StrFormat("%.3g; that of every other rank is at most %.3g.",
                        fact.norm, fact.next_norm));
  }
  std::string operator()(const ReplicasDiffer& fact) const {
    return absl::StrCat("The copies of ", printable(fact.name), " differ",
                        fact.step ? absl::StrCat(" in step ", *fact.step)
                                  : absl::StrCat(" in check ", fact.check),
                        ". Equal are: ", setsText(fact.equal), ".");
  }
  std::string operator()(const TensorsDiffer& fact) const {
    return absl::StrCat(groupedText(fact.tensors), " of ",
                        countOf(fact.of, "parameter"),
                        fact.tensors == 1 ? " differs" : " differ",
                        " in this check. No difference was found earlier.");
  }
  std::string operator()(const SoOften& fact) const {
    return absl::StrCat("It happened in ", groupedText(fact.operations),
                        " operations, last in #", fact.last_seq, ".");
  }
};

}  // namespace

std::string phrase(const JobState& job, const ValueFact& fact) {
  return std::visit(ValuePhrases{job}, fact);
}

}  // namespace traced
