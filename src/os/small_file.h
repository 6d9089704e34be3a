// Small files, above all the kernel's: /proc, /sys and control groups, whose size nobody knows
// before they are read. One that cannot be read is as good as empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpusched {

// At most so many bytes from the beginning.
std::string read_small_file(const std::string& path, std::size_t most = SIZE_MAX);
// The same for one that is open.
std::string read_small_file(int file, std::size_t most);
// The same for a file in an open directory.
std::string read_small_file_in(int directory, const char* name, std::size_t most = SIZE_MAX);

}  // namespace gpusched
