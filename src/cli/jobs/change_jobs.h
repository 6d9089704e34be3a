// What cancel, hold, release, requeue and set have in common: name jobs, ask, tell what changed.
#pragma once

#include <string>
#include <string_view>

#include "cli/flags.h"

namespace gpusched::cli {

struct Change {
  std::string_view verb;  // "cancel"
  std::string_view past;  // "cancelled"
  std::string method = "POST";
  std::string action;  // Last part of the path; empty for PATCH.
  std::string body = {};
  // What is already as wished is no failure (cancel of an ended job).
  bool unchanged_is_fine = false;
  bool makes = false;  // Done twice it does more than done once.
};

int change_jobs(const Arguments& arguments, const Change& change);

}  // namespace gpusched::cli
