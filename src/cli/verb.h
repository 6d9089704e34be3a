// A verb of the command line: its words for people, its flags, and the function that does it.
// Every verb is a constant, so that the table of all verbs costs nothing at start-up.
#pragma once

#include <span>
#include <string_view>

#include "cli/flags.h"

namespace gpusched::cli {

struct Verb {
  std::string_view name;
  std::string_view alias = {};
  std::string_view summary;        // One line.
  std::string_view usage;          // After "gpusched ": "cancel [IDS] [FLAGS]".
  std::string_view about = {};     // A paragraph or two.
  std::string_view examples = {};  // Lines, each a command and what it does.
  std::span<const FlagSection> sections;
  Operands operands = Operands::kNone;
  std::string_view words = {};    // For kWords: what completion offers, separated by spaces.
  Offer offer = Offer::kNothing;  // What completion offers instead.
  int (*run)(const Arguments& arguments) = nullptr;
  bool hidden = false;
  // Why these words make no sense on another machine; empty: they do. Null: they always do.
  std::string_view (*not_there)(const Arguments&) = nullptr;
  // False: these words need no process on the daemon's machine. Null: with `whole_there` they do.
  bool (*needs_machine)(const Arguments&) = nullptr;
  bool whole_there = false;   // For another machine's daemon all of it runs on that machine.
  bool over_network = false;  // But over the network it runs here.
};

// In the order in which help lists them (verbs.cc).
std::span<const Verb* const> all_verbs();
// By name or alias; null if there is none.
const Verb* find_verb(std::string_view name);

}  // namespace gpusched::cli
