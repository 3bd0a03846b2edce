// Facts about groups that may connect other ranks than those they name.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

struct EndedUnjoined {
  CollectiveAt call;
  std::uint32_t ended = 0;
  std::uint32_t called = 0;
  std::int64_t early_ns = 0;
};
struct ConnectedElsewhere {
  std::uint32_t rank = 0;
  std::uint32_t group = 0;
};
struct EndedLikeThat {
  std::size_t collectives = 0;
};
struct NameIsShared {
  // The groups with the same name.
  std::vector<std::uint32_t> groups;
  bool another = false;
};
struct MoreSharedNames {
  std::size_t names = 0;
};

// Reasons to doubt which ranks a group connects.
struct OthersHaveItsName {
  std::uint32_t group = 0;
};
struct EndedBeforeCalled {
  CollectiveAt call;
};
struct HasSeveralNames {
  std::uint32_t group = 0;
};

struct AskWhereCreated {
  std::uint32_t group = 0;
};

using WiringFact =
    std::variant<EndedUnjoined, ConnectedElsewhere, EndedLikeThat, NameIsShared,
                 MoreSharedNames, OthersHaveItsName, EndedBeforeCalled,
                 HasSeveralNames, AskWhereCreated>;

}  // namespace traced
