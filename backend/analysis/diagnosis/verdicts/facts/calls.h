// Facts about calls and messages that differ between ranks, and about ranks
// that left the program's order.

#pragma once

#include "analysis/diagnosis/verdicts/facts/shared.h"

namespace traced {

// How the calls of one rank result from those of another, from the first
// difference on.
enum class CallShift : std::uint8_t {
  // The first call differs. The following calls agree or are unknown.
  kNone,
  // Two calls are swapped, and the following calls agree.
  kSwapped,
  // The following calls agree one call later, or one earlier.
  kExtra,
  kLeftOut,
  // Both of these explain the known calls, and no two calls are swapped.
  kExtraOrLeftOut,
  // More than one of these explains the known calls.
  kUnclear,
};

// A point in the calls of a program: one call, its beginning or its end.
struct ProgramPoint {
  enum class At : std::uint8_t { kCall, kBegin, kEnd };

  At at = At::kCall;
  CallOn call{};
  // Its arguments, to name it without its number. Empty to name it by number.
  std::string signature{};
  // Ranks called it in different groups.
  bool own_groups = false;
};

struct CallsDiffer {
  Ranks odd;
  std::string called;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
  Ranks usual;
  std::string expected;
};
struct OutOfStep {
  CallShift shift = CallShift::kNone;
  Ranks ranks;
  Ranks others;
};
struct SameAgain {
  std::uint64_t operations = 0;
};
struct AgreedBefore {
  std::uint32_t group = 0;
};
struct NeedsOtherRanks {
  Ranks absent;
};
struct ThreadsRace {
  std::uint32_t group = 0;
};
// Two threads made this call and the next, in the opposite order on the odd
// ranks.
struct ThreadOrder {
  Ranks usual;
  std::uint64_t seq = 0;
  std::string site, next_site;
  Ranks odd;
};
struct SplitsDisagree {
  CollectiveAt call;
};
struct SplitOf {
  std::uint32_t from = 0;
  std::int64_t sends = 0;
  std::uint32_t to = 0;
  std::int64_t expects = 0;
};

struct ContinuedDifferently {
  ProgramPoint after;
  Ranks few;
  ProgramPoint next;
  Ranks many;
  ProgramPoint others_next;
};
struct BrokeHabit {
  ProgramPoint after;
  std::uint32_t rank = 0;
  ProgramPoint next;
  std::size_t times = 0;
  ProgramPoint last_next;
};
// Ranks that made, or left out, a call according to call sites.
struct CalledElsewhere {
  enum class Likely : std::uint8_t { kExtra, kLeftOut, kUnknown };

  Likely likely = Likely::kUnknown;
  Ranks makers;
  Ranks others;
  ProgramPoint what;
  std::string site;
  std::string others_site;
};
struct SitesMatchWithout {
  std::uint64_t seq = 0;
  Ranks others;
  Ranks makers;
  std::size_t calls = 0;
};
// A habit of ranks at the same place.
struct SiteHabit {
  Ranks ranks;
  bool called = false;
};

struct MessagesDiffer {
  MessageAt message;
  std::string sent;
  std::string received;
};
struct ReceiverOutOfStep {
  CallShift shift = CallShift::kNone;
};
struct MessageFailed {
  std::string op;
  MessageAt message;
  std::uint32_t rank = 0;
};
// A message that only one side has.
struct MessageAlone {
  enum class Own : std::uint8_t { kSent, kWaits, kExpects };

  Own own = Own::kSent;
  MessageAt message;
};
struct BothInMessage {
  MessageAt message;
};
struct OneInMessage {
  MessageAt message;
  bool sends = false;
  // Whether the other side has a dump.
  bool has_dump = false;
};
struct WrongPeer {
  std::uint32_t sender = 0;
  std::uint32_t sent_to = 0;
  std::uint32_t waits = 0;
};
struct SentOnlyToOther {
  std::uint32_t killed = 0;
};

struct AskBefore {
  Ranks ranks;
  std::uint32_t group = 0;
  std::uint64_t seq = 0;
};
struct AskThreads {
  std::uint32_t group = 0;
};
struct AskSplitSizes {
  Ranks ranks;
};
struct AskWhyCalled {
  Ranks ranks;
  bool makes_it = false;
  std::string site;
};
struct AskWholeTrace {
  Ranks ranks;
};
struct AskDump {
  std::uint32_t rank = 0;
};

using CallFact =
    std::variant<CallsDiffer, OutOfStep, SameAgain, AgreedBefore,
                 NeedsOtherRanks, ThreadsRace, ThreadOrder, SplitsDisagree,
                 SplitOf, ContinuedDifferently, BrokeHabit, CalledElsewhere,
                 SitesMatchWithout, SiteHabit, AskBefore, AskThreads,
                 AskSplitSizes, AskWhyCalled>;
using MessageFact =
    std::variant<MessagesDiffer, ReceiverOutOfStep, MessageFailed, MessageAlone,
                 BothInMessage, OneInMessage, WrongPeer, SentOnlyToOther,
                 AskWholeTrace, AskDump>;

}  // namespace traced
