// Text from outside (exception messages, names) made fit for protobuf, whose
// readers refuse a whole chunk over one byte of invalid UTF-8.

#pragma once

#include <string>
#include <string_view>

namespace traced {

// `text` with every byte that is not part of valid UTF-8 replaced by '?'.
std::string toValidUtf8(std::string_view text);

}  // namespace traced
