// Whether the program of a submission is there, as its start would look for it. Somebody may put it
// there before the job starts, so that it is not is a note and no error.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/submit/submission.h"

namespace gpusched::cli {

// Whether a program is there, as far as that can be seen.
using ProgramLook = std::function<bool(const std::string& path)>;
bool is_program_or_hidden(const std::string& path);

// A sentence; nothing where it is there, or where nobody can tell here: a line for a shell, a
// placeholder, another machine.
std::optional<std::string> note_on_program(const Submission& submission,
                                           const ProgramLook& is_there = is_program_or_hidden);

}  // namespace gpusched::cli
