// The small texts inside rows: grants, the values of array tasks, environments, words for enums.
// Each has one writing and one reading. Part of the schema: a change needs a migration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/job.h"

namespace gpusched {

// "4,1073741824;0,25769803776,100,1": CPUs and RAM, then per card number, VRAM, share, whole.
std::string grant_to_text(const Grant& grant);
std::optional<Grant> grant_from_text(std::string_view text);

using TaskValues = std::vector<std::pair<std::string, std::string>>;
// One line per value, name and value apart by a tab; backslash, tab and newline are escaped.
std::string task_values_to_text(const TaskValues& values);
std::optional<TaskValues> task_values_from_text(std::string_view text);

// Every variable followed by a NUL, as in /proc/PID/environ.
std::string environment_to_bytes(const Environment& environment);
std::vector<std::string> environment_from_bytes(std::string_view bytes);

const char* hold_word(HoldReason why);
std::optional<HoldReason> hold_of_word(std::string_view word);
// None for kNone: the column stays empty.
std::optional<std::string_view> stop_word(StopReason why);
std::optional<StopReason> stop_of_word(std::string_view word);
std::optional<AsidePhase> phase_of_word(std::string_view word);
// All but the phase, which is the job's state: `phase` is empty for one that is on its cards.
std::string presence_to_text(const Presence& presence);
std::optional<Presence> presence_from_text(std::string_view text, std::optional<AsidePhase> phase);
std::optional<Outcome> outcome_of_word(std::string_view word);

}  // namespace gpusched
