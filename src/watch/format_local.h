// The table of `gpusched gpus --local`: what this machine's cards do now, without a daemon. What is
// unknown is "-". Every line fits the width.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "watch/sample.h"

namespace gpusched::watch {

struct LocalCard {
  int number = 0;
  CardIdentity identity;
  std::optional<CardSample> sample;  // Absent: it did not answer.
  std::vector<ProcessSample> processes;
  std::string trouble;  // Why something is missing, below the card; may be empty.
};

// Width 0: as wide as it takes.
std::string format_local(const std::vector<LocalCard>& cards, std::size_t width);

}  // namespace gpusched::watch
