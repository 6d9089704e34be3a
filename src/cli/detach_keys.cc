#include "cli/detach_keys.h"

namespace gpusched::cli {
namespace {

constexpr char kDetachPrefix = '\x1d';  // Ctrl-]

}  // namespace

DetachKeys::Typed DetachKeys::feed(std::string_view bytes) {
  Typed typed;
  for (const char key : bytes) {
    if (!prefix_) {
      prefix_ = key == kDetachPrefix;
      if (!prefix_) typed.passed += key;
      continue;
    }
    prefix_ = false;
    if (key == 'd') {
      typed.detach = true;
      return typed;
    }
    typed.passed += kDetachPrefix;
    if (key != kDetachPrefix) typed.passed += key;
  }
  return typed;
}

}  // namespace gpusched::cli
