// Numbers in sentences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpusched {

// "1 job", "2 jobs".
std::string counted(std::uint64_t number, const char* what);
// As one word of a shell's line: always in quotes, for shells that we do not know.
std::string shell_quoted(std::string_view word);
// For people: in quotes if it needs them.
std::string shell_word(std::string_view word);
// Sizes. Tables have format_size() of base/text.h.
// "1.5 GiB", "0.0 GiB": to a tenth, for sizes that are compared.
std::string gib_text(std::uint64_t bytes);
// "7168 MiB": for a limit and what is just above it.
std::string mib_text(std::uint64_t bytes);
// "6.1 GiB", "7 GiB", "600 MiB": for one size by itself.
std::string rounded_size(std::uint64_t bytes);

}  // namespace gpusched
