// The one sentence about a verdict that one would say on the phone: what is
// wrong, who did it, and how sure each of these is. It is the first line of
// `tracectl diagnose`, and whoever has room for one line only says it too.

#pragma once

#include <string>

#include "analysis/diagnosis/telling/verdict.h"

namespace traced {

// "rank 5 never joined all_reduce #1532 of \"dp\"; ranks 0-4,6-7 wait for it,
// for 42.1 s. (certain; that rank 5 is to blame: likely)"
std::string headlineOf(const JobVerdict& verdict);

}  // namespace traced
