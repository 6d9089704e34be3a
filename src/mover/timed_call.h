// One call of the driver, and how long it took.
#pragma once

#include "base/time.h"
#include "os/clock.h"

namespace gpusched::mover {

template <class Call>
int timed_call(Microseconds& sum, Call call) {
  const Boot begin = read_clock().boot;
  const int code = call();
  sum += read_clock().boot - begin;
  return code;
}

}  // namespace gpusched::mover
