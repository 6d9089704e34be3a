// What may stand at the end of an unfinished command line, from the tables of verbs and flags.
// Pure but for live ids and groups, which the caller looks up when asked.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cli/flags.h"

namespace gpusched::cli {

struct Candidate {
  std::string word;
  std::string about;
};

struct Completion {
  std::vector<Candidate> words;
  bool files = false;  // The shell completes file names.
};

struct LiveWords {
  std::function<std::vector<Candidate>()> jobs;
  std::function<std::vector<Candidate>()> open_jobs;
  std::function<std::vector<Candidate>()> cards;
  std::function<std::vector<Candidate>()> groups;
  std::function<std::vector<Candidate>()> tokens;
  std::function<std::vector<Candidate>()> rules;  // Of alarms.
  std::function<std::vector<Candidate>()> silences;
  std::function<std::vector<Candidate>()> receivers;
};

// `words` are those after "gpusched"; the last one is being typed and may be empty.
Completion complete(std::span<const std::string> words, const LiveWords& live);

}  // namespace gpusched::cli
