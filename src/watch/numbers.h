// Numbers as drivers and their tools print them. Strict: what is not wholly a number is unknown,
// because a guess would become a fact about a card. No locale is involved.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpusched::watch {

std::optional<std::uint64_t> whole_number(std::string_view text);
// A process's number, which is neither 0 nor larger than any system gives.
std::optional<int> process_number(std::string_view text);
std::optional<std::uint64_t> hex_number(std::string_view text);  // With or without 0x.
std::optional<double> decimal_number(std::string_view text);     // Finite.

// The number if it is a percentage; what is over a hundred is a driver's mistake, not a load.
std::optional<double> percentage(std::string_view text);
// A share of time as percent; rounding may carry it a little over a hundred, which is cut.
double percent_of(double part, double whole);
// `part` × `unit`, unless that does not fit.
std::optional<std::uint64_t> scaled(std::optional<std::uint64_t> part, std::uint64_t unit);

}  // namespace gpusched::watch
