// Sweeps: `--param lr=0.1,0.01 --param seed=1:5` and `--each-line FILE` as the list of tasks they
// stand for. Pure: lines and flag texts in, tasks out, in the order in which they will run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace gpusched::cli {

// One job of a sweep: {name} -> value in the command.
using SweepTask = std::vector<std::pair<std::string, std::string>>;

struct Parameter {
  std::string name;
  std::vector<std::string> values;
};

inline constexpr std::size_t kSweepTasksMost = 1'000'000;

// "lr=0.1,0.01", "seed=1:5", "x=0:1:0.1". A backslash makes the next ',' or ':' an ordinary one.
Result<Parameter> parse_parameter(std::string_view text);

// The cross product, the last parameter varying fastest.
Result<std::vector<SweepTask>> cross_product(const std::vector<Parameter>& parameters);

// The lines that count: not empty, without their end; the value of {line}.
std::vector<std::string> lines_of(std::string_view text);

// "0-99%4" cut into "0-99" and 4.
struct ArrayFlag {
  std::string indices;
  int limit = 0;
};
Result<ArrayFlag> parse_array(std::string_view text);

}  // namespace gpusched::cli
