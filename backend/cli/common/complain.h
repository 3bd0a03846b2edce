// What a verb says where it cannot do what it was told.

#pragma once

#include <string>

#include "analysis/merge/pending_file.h"
#include "cli/common/exit_code.h"

namespace traced {

// Says a sentence on standard error, after the program's name.
void complain(const std::string& sentence);

// Complains of how the verb was called; with what it ends then.
ExitCode refuse(const std::string& sentence);

// Whether a file may be written. Complains if it is there already, unless
// --force was given.
bool mayWrite(const std::string& path, bool force);

// Puts a file in its place. Complains if that fails.
bool finish(PendingFile& file);

}  // namespace traced
