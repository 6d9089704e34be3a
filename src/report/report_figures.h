// Words and figures that every form of a report has in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "wire/messages/report.h"

namespace gpusched {

// How waste and waits are counted; said wherever they are shown.
inline constexpr std::string_view kWasteMeans =
    "Waste: GPU-hours of compute that were held and not used: the held share of a card less its "
    "load, of attempts whose load was seen.";
inline constexpr std::string_view kWaitMeans =
    "Waiting: from submission (or --begin) to the first start; quantiles are right within 5 %.";
inline constexpr std::string_view kWaitedForMeans =
    "Who waited for whom: the hours that a tenant's jobs waited, divided among those who held "
    "cards meanwhile by how many they held and how long; nobody: no card was held.";

inline constexpr std::string_view kUseMeans =
    "Used against asked: VRAM of a card, as it was granted and as it was used on average; LOAD of "
    "the share of compute that was HELD; TIME: how much of their time limits jobs ran; WASTE in "
    "GPU-hours.";
inline constexpr std::string_view kMovesMeans =
    "Moved aside: how often, for how long on all cards together, and what went to host RAM.";
// Of the first table.
inline constexpr std::string_view kTableMeans =
    "A job counts once, with its first attempt, and in parts where it has several cards. ASKED and "
    "PEAK are VRAM of a card, BUSY is its load, ASIDE are hours; means are weighted by time, \"-\" "
    "was never seen.";

// "2026-01-01 08:00 to 2026-01-08 09:30, UTC". All times of a report are of UTC, as its days are.
std::string report_period(const wire::Report& report);
// Without control characters: no terminal obeys what a name says.
std::string harmless_text(std::string_view text);
// What a row is of: "ml1", "card 3", "none" of no card, "08:00", "(others)".
std::string report_row_label(const wire::ReportRow& row);
// Small amounts with more places, so that a short test is not "0.0".
std::string report_amount(double value);
std::string report_count(double count);
std::string report_span(double seconds);
// "-": never seen.
std::string report_percent(const std::optional<double>& percent);
// Its holder, or that there is none.
std::string report_holder(const std::string& holder);
// "exit 3, cuda_oom 1"; empty: none.
std::string report_failures(const wire::ReportRow& row);
// Of the time limits that were asked for.
std::optional<double> report_time_percent(const wire::ReportRow& row);

}  // namespace gpusched
