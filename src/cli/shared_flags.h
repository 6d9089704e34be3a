// Flag tables that several verbs share. In a header, because a table of constants can only refer to
// constants that the compiler sees.
#pragma once

#include <array>

#include "cli/flags.h"

namespace gpusched::cli {

inline constexpr std::array kCommonFlags = {
    Flag{"--json", 0, FlagKind::kSwitch, "", "print the API's answer, unchanged"},
    Flag{"--socket", 0, FlagKind::kValue, "PATH",
         "talk to the daemon there (also: GPUSCHED_SOCKET)", Offer::kFiles},
    Flag{"--server", 0, FlagKind::kValue, "NAME|URL",
         "talk to the daemon of another machine: ssh://HOST, https://HOST (also: "
         "GPUSCHED_SERVER)"},
    Flag{"--help", 'h', FlagKind::kSwitch, "", "this text"},
};
inline constexpr std::array kDryRunFlags = {
    Flag{"--dry-run", 0, FlagKind::kSwitch, "", "say what would be done, change nothing"},
};
inline constexpr std::array kSelectorFlags = {
    Flag{"--all", 0, FlagKind::kSwitch, "",
         "all of one's own jobs; of everybody for administrators"},
    Flag{"--state", 0, FlagKind::kValue, "STATE,…",
         "only those in a state; also active, waiting, ended", Offer::kStates},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "only those of a user"},
    Flag{"--group", 0, FlagKind::kValue, "NAME", "only those in a group", Offer::kGroups},
    Flag{"--name", 0, FlagKind::kValue, "NAME", "only those with a name"},
    Flag{"--tag", 0, FlagKind::kValue, "TAG", "only those with a tag"},
    Flag{"--array", 0, FlagKind::kValue, "ID", "only those of an array or sweep", Offer::kJobs},
};

// Of verbs that only look.
inline constexpr std::array kLookFlags = {
    Flag{"--all", 0, FlagKind::kSwitch, "", "all of one's own jobs that have not ended"},
    Flag{"--everybody", 0, FlagKind::kSwitch, "", "with --all or filters: of all users"},
    Flag{"--state", 0, FlagKind::kValue, "STATE,…",
         "only those in a state; also active, waiting, ended", Offer::kStates},
    Flag{"--since", 0, FlagKind::kValue, "TIME",
         "only those that had not ended before: 2h, 2026-01-01T08:00:00Z"},
    Flag{"--user", 0, FlagKind::kValue, "NAME", "only those of a user"},
    Flag{"--group", 0, FlagKind::kValue, "NAME", "only those in a group", Offer::kGroups},
    Flag{"--name", 0, FlagKind::kValue, "NAME", "only those with a name"},
    Flag{"--tag", 0, FlagKind::kValue, "TAG", "only those with a tag"},
    Flag{"--array", 0, FlagKind::kValue, "ID", "only those of an array or sweep", Offer::kJobs},
};

inline constexpr std::array<FlagSection, 1> kPlainSections = {FlagSection{"General", kCommonFlags}};
// Of a verb that reads jobs, and of one that changes them.
inline constexpr std::array<FlagSection, 2> kReadingSections = {
    FlagSection{"Which jobs", kLookFlags}, FlagSection{"General", kCommonFlags}};
inline constexpr std::array<FlagSection, 3> kChangingSections = {
    FlagSection{"Which jobs", kSelectorFlags}, FlagSection{"Trying out", kDryRunFlags},
    FlagSection{"General", kCommonFlags}};

}  // namespace gpusched::cli
