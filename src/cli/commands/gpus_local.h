// `gpusched gpus --local`: the cards as their drivers show them, without a daemon.
#pragma once

#include "cli/flags.h"

namespace gpusched::cli {

int run_gpus_local(const Arguments& arguments);

}  // namespace gpusched::cli
