// The opcodes of pickle protocols 2 to 5 that plain data uses. See
// https://docs.python.org/3/library/pickletools.html.

#pragma once

#include <cstdint>

namespace traced {

enum class PickleOpcode : std::uint8_t {
  kProto = 0x80,
  kFrame = 0x95,
  kStop = '.',
  // Stack.
  kMark = '(',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  // Memo.
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kMemoize = 0x94,
  // Plain values.
  kNone = 'N',
  kTrue = 0x88,
  kFalse = 0x89,
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kBinFloat = 'G',
  kShortBinString = 'U',
  kBinString = 'T',
  kShortBinBytes = 'C',
  kBinBytes = 'B',
  kBinBytes8 = 0x8e,
  kShortBinUnicode = 0x8c,
  kBinUnicode = 'X',
  kBinUnicode8 = 0x8d,
  // Lists, tuples and dicts.
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kList = 'l',
  kEmptyTuple = ')',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kTuple = 't',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kDict = 'd',
};

// Returns the name of an opcode that imports, calls or refers to something
// outside the pickle, else nullptr.
const char* nameIfItRunsCode(std::uint8_t opcode);

}  // namespace traced
