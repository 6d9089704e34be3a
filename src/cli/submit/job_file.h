// A job as a YAML file: the flags of submit as keys, `command` as a list or a line for the shell.
//
//   command: [python, train.py, --lr, "{lr}"]
//   gpus: 2
//   vram: 8G
//   param: {lr: [0.1, 0.01], seed: "1:5"}
//
// It becomes the same Arguments that the command line gives, so that a key can never mean anything
// else than its flag. Every error carries line and column.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/flags.h"

namespace gpusched::cli {

// `file` is for messages. `sections` are the flags of submit.
Result<Arguments> parse_job_file(const std::string& text, const std::string& file,
                                 std::span<const FlagSection> sections);

// The same for a file with defaults: it may be empty, and has nothing that makes one job what it
// is.
Result<Arguments> parse_defaults_file(const std::string& text, const std::string& file,
                                      std::span<const FlagSection> sections);

}  // namespace gpusched::cli
