// Help, made from the tables of verbs and flags; wraps to the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "cli/verb.h"

namespace gpusched::cli {

std::string general_help();
std::string verb_help(const Verb& verb, std::size_t width);

}  // namespace gpusched::cli
