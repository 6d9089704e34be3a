// What the doctor says about one thing.
#pragma once

#include <string>

namespace gpusched::cli {

enum class Health : unsigned char { kGood, kWarn, kBad };

struct Finding {
  std::string about;  // "daemon"
  Health health = Health::kGood;
  std::string is;     // What is.
  std::string costs;  // What that costs; empty if nothing.
  std::string fix;    // How to change it; empty if there is nothing to do.
};

}  // namespace gpusched::cli
