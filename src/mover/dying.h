// For tests: the process ends as by kill -9 when it gets to the step that the environment names
// (GPUSCHED_MOVER_DIES_AT), once per attempt.
#pragma once

#include <string>
#include <thread>

namespace gpusched::mover {

void die_if_asked(int directory, const std::string& step);

// Dies a moment after it was made, while the call that follows is under way.
class DiesInside {
 public:
  DiesInside(int directory, const std::string& step);
  ~DiesInside();
  DiesInside(const DiesInside&) = delete;
  DiesInside& operator=(const DiesInside&) = delete;

 private:
  std::thread end_;
};

}  // namespace gpusched::mover
