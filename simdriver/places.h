// Where the parts of the simulated driver are, seen from the program that runs: installed below
// one prefix, or in a build directory. Empty: not there.
#pragma once

#include <string>

namespace gpusched::simdriver {

std::string scenario_directory();
// For LD_LIBRARY_PATH of everything that shall use the simulated driver.
std::string library_directory();

}  // namespace gpusched::simdriver
