// The keys by which `run` and `attach` are left: Ctrl-], then d. All else is the job's.
#pragma once

#include <string>
#include <string_view>

namespace gpusched::cli {

class DetachKeys {
 public:
  struct Typed {
    std::string passed;   // For the job.
    bool detach = false;  // What was typed after it is dropped.
  };
  // Ctrl-] alone is held back until the next key; twice it is one for the job.
  Typed feed(std::string_view bytes);

 private:
  bool prefix_ = false;
};

}  // namespace gpusched::cli
