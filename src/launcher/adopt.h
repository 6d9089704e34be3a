// A shim that starts nothing: it claims an attempt and watches over a process that runs already.
// When one dies another takes its place, claim and all; the process does not notice.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/ids.h"
#include "os/fd.h"

namespace gpusched {

struct LaunchOrder;
struct ShimSettings;

// As run_shim(), with an order that has `adopted`.
void run_adopting_shim(const ShimSettings& settings, AttemptId attempt, const std::string& order,
                       Fd go);

// What its successor has to know, for as long as the attempt lives.
Result<void> keep_adoption(int directory, const LaunchOrder& order);

}  // namespace gpusched
