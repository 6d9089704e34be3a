// `#GPUSCHED --gpus 2 --vram 8G` lines at the head of a script: the flags of submit, written into
// the file that they are about. Only the leading comment lines are read; the first line of code
// ends them, so that nothing deep in a file can surprise anybody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpusched::cli {

struct DirectiveLine {
  int line = 0;
  std::vector<std::string> words;
};

// Words as a shell would split them: quotes, backslashes, and # as the start of a comment. No
// expansion.
Result<std::vector<std::string>> split_words(std::string_view text);

// Empty if the text has no directives. Errors carry the line number.
Result<std::vector<DirectiveLine>> parse_directives(std::string_view script);

// The first line that says flags below the head, where none are read; 0: there is none.
int directive_too_late(std::string_view script);

// The first line at its head that says flags to Slurm; 0: there is none.
int slurm_line(std::string_view script);

// The interpreter of a "#!" line and its argument, or nothing.
std::vector<std::string> interpreter_of(std::string_view script);

}  // namespace gpusched::cli
