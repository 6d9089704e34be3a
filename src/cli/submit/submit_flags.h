// The flags of submit and run, once: the command line, job files and #GPUSCHED lines all use these
// rows. A new flag is a row here and a line in submission.cc.
#pragma once

#include <array>

#include "cli/shared_flags.h"

namespace gpusched::cli {

inline constexpr std::array kNeedsFlags = {
    Flag{"--gpus", 0, FlagKind::kValue, "N|A-B|all",
         "cards; a range takes as many as are free; 0: none (1)"},
    Flag{"--vram", 0, FlagKind::kValue, "SIZE",
         "memory needed on each card, 8G; without it the card is its own"},
    Flag{"--vram-limit", 0, FlagKind::kValue, "SIZE",
         "ended when it takes more than this on a card"},
    Flag{"--share", 0, FlagKind::kValue, "PERCENT", "part of each card's compute that it needs"},
    Flag{"--exclusive", 0, FlagKind::kSwitch, "", "nobody else on its cards"},
    Flag{"--gpu", 0, FlagKind::kValue, "0,2|NAME", "only these cards, by number, alias or tag"},
    Flag{"--not-gpu", 0, FlagKind::kValue, "1|NAME", "not these cards"},
    Flag{"--gpu-type", 0, FlagKind::kValue, "TEXT", "only cards whose model's name contains this"},
    Flag{"--cpus", 0, FlagKind::kValue, "N", "processors (0 with a card, else 1)"},
    Flag{"--mem", 0, FlagKind::kValue, "SIZE", "host memory"},
    Flag{"--cpu-ok", 0, FlagKind::kOptionalValue, "fallback",
         "may run without a card: at once if CPUs are free, or =fallback when no card is",
         Offer::kWords, "prefer fallback"},
};
inline constexpr std::array kWhenFlags = {
    Flag{"--priority", 0, FlagKind::kValue, "0-100|WORD", "idle, low, normal (50), high, urgent",
         Offer::kWords, "idle low normal high urgent"},
    Flag{"--after", 0, FlagKind::kValue, "[ok:|any:|fail:]7,8",
         "wait for other jobs to end; repeatable", Offer::kJobs},
    Flag{"--begin", 0, FlagKind::kValue, "TIME", "not before: 18:00, 'tomorrow 8:00', +2h"},
    Flag{"--expire", 0, FlagKind::kValue, "TIME", "give up if it has not started by then"},
    Flag{"--deadline", 0, FlagKind::kValue, "TIME",
         "should be over by then: goes first as it nears"},
    Flag{"--hold", 0, FlagKind::kSwitch, "", "wait until it is released"},
    Flag{"--group", 0, FlagKind::kValue, "NAME",
         "a named group with a limit on how many run at once", Offer::kGroups},
    Flag{"--key", 0, FlagKind::kValue, "TEXT",
         "submit once: the same key again answers with the same job"},
};
inline constexpr std::array kLifeFlags = {
    Flag{"--time", 0, FlagKind::kValue, "DURATION", "limit on its running time: 90, 15m, 1h30m"},
    Flag{"--signal", 0, FlagKind::kValue, "USR1@60",
         "send this signal so long before the time limit"},
    Flag{"--grace", 0, FlagKind::kValue, "DURATION", "between TERM and KILL (10s)"},
    Flag{"--retries", 0, FlagKind::kValue, "N[:CAUSE,…]",
         "run again after a failure, at most N times"},
    Flag{"--retry-on", 0, FlagKind::kValue, "CAUSE,…",
         "which failures: exit, signal, timeout, cuda_oom, …", Offer::kWords,
         "exit signal timeout cuda_oom host_oom gpu_lost vram_limit launch machine_lost "
         "supervisor_lost restore_lost"},
    Flag{"--back-off", 0, FlagKind::kValue, "DURATION",
         "before the first retry; doubles each time (5s)"},
    Flag{"--checkpoint", 0, FlagKind::kOptionalValue, "USR1@60",
         "saves itself at this signal within so long, and goes on later from there"},
    Flag{"--restartable", 0, FlagKind::kSwitch, "", "may be started over from the beginning"},
    Flag{"--preempt", 0, FlagKind::kValue, "WORD",
         "how it may be moved aside: auto, cooperative, never", Offer::kWords,
         "auto cooperative never"},
};
inline constexpr std::array kProcessFlags = {
    Flag{"--cmd", 0, FlagKind::kValue, "LINE", "a line for /bin/sh instead of '-- COMMAND'"},
    Flag{"--file", 0, FlagKind::kValue, "job.yaml", "read the job from a file; - is standard input",
         Offer::kFiles},
    Flag{"--cwd", 0, FlagKind::kValue, "DIR", "working directory (this one)", Offer::kFiles},
    Flag{"--env", 0, FlagKind::kValue, "K=V",
         "set a variable; K alone takes it from here; repeatable"},
    Flag{"--no-env", 0, FlagKind::kSwitch, "",
         "start from an empty environment instead of this one"},
    Flag{"--env-none", 0, FlagKind::kSwitch, "", "the same as --no-env"},
    Flag{"--output", 0, FlagKind::kValue, "PATH", "standard output (and errors) go there",
         Offer::kFiles},
    Flag{"--error", 0, FlagKind::kValue, "PATH", "standard error apart", Offer::kFiles},
};
inline constexpr std::array kNamesFlags = {
    Flag{"--name", 0, FlagKind::kValue, "NAME", "for people"},
    Flag{"--tag", 0, FlagKind::kValue, "TAG,…", "for filters; repeatable"},
    Flag{"--project", 0, FlagKind::kValue, "NAME", "for reports"},
};
inline constexpr std::array kSweepFlags = {
    Flag{"--array", 0, FlagKind::kValue, "0-99%4",
         "one job per index, {index} in the command; %4: 4 at once"},
    Flag{"--param", 0, FlagKind::kValue, "NAME=VALUES",
         "one job per value, {NAME} in the command: a,b,c or 1:5 or 0:1:0.1; repeatable"},
    Flag{"--each-line", 0, FlagKind::kValue, "FILE|-",
         "one job per line, {line} in the command; without a command each line is one",
         Offer::kFiles},
};
inline constexpr std::array<FlagSection, 8> kSubmitSections = {
    FlagSection{"What it needs", kNeedsFlags}, FlagSection{"When it runs", kWhenFlags},
    FlagSection{"While it runs", kLifeFlags},  FlagSection{"The process", kProcessFlags},
    FlagSection{"Many at once", kSweepFlags},  FlagSection{"Names", kNamesFlags},
    FlagSection{"Trying out", kDryRunFlags},   FlagSection{"General", kCommonFlags},
};
inline constexpr std::array<FlagSection, 7> kRunSections = {
    FlagSection{"What it needs", kNeedsFlags}, FlagSection{"When it runs", kWhenFlags},
    FlagSection{"While it runs", kLifeFlags},  FlagSection{"The process", kProcessFlags},
    FlagSection{"Names", kNamesFlags},         FlagSection{"Trying out", kDryRunFlags},
    FlagSection{"General", kCommonFlags},
};

}  // namespace gpusched::cli
