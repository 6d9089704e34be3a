// Numbers in sentences.
#pragma once

#include <cstdint>
#include <string>

namespace gpusched {

// "1 job", "2 jobs".
std::string counted(std::uint64_t number, const char* what);
// "1.5 GiB", to a tenth.
std::string gib_text(std::uint64_t bytes);

}  // namespace gpusched
