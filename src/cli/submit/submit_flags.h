// The flags of submit and run, once: the command line, job files and #GPUSCHED lines all use these
// rows, and `set` those that it has words for. A row names the field of the request that it is and
// the writer of its value; what has no writer is read in submission.cc.
#pragma once

#include <array>

#include "base/text.h"
#include "cli/flag_writers.h"
#include "cli/shared_flags.h"

namespace gpusched::cli {

inline constexpr std::array kNeedsFlags = {
    as_field(Flag{"--gpus", 0, FlagKind::kValue, "N|A-B|all",
                  "cards; a range takes as many as are free; 0: none (1)"},
             "gpus", write_flag<parse_gpu_count>, "cards"),
    as_field(Flag{"--vram", 0, FlagKind::kValue, "SIZE",
                  "memory needed on each card, 8G; without it the card is its own"},
             "vram_bytes", write_flag<parse_memory>, "memory on each card"),
    as_field(Flag{"--share", 0, FlagKind::kValue, "PERCENT",
                  "part of each card's compute that it needs"},
             "share_percent", write_flag<parse_share>, "part of each card's compute"),
    as_field(Flag{"--exclusive", 0, FlagKind::kSwitch, "", "nobody else on its cards"}, "exclusive",
             write_fact),
    as_field(
        Flag{"--gpu", 0, FlagKind::kValue, "0,2|NAME", "only these cards, by number, alias or tag"},
        "only_cards", write_flag<parse_cards>, "only these cards, by number, alias or tag"),
    as_field(Flag{"--not-gpu", 0, FlagKind::kValue, "1|NAME", "not these cards"}, "avoid_cards",
             write_flag<parse_cards>, "not these cards"),
    as_field(Flag{"--gpu-type", 0, FlagKind::kValue, "TEXT",
                  "only cards whose model's name contains this"},
             "card_type", write_text, "only cards whose model's name contains this"),
    as_field(Flag{"--cpus", 0, FlagKind::kValue, "N", "processors (0 with a card, else 1)"}, "cpus",
             write_flag<parse_count>, "processors"),
    as_field(Flag{"--mem", 0, FlagKind::kValue, "SIZE", "host memory"}, "ram_bytes",
             write_flag<parse_memory>, "host memory"),
    as_field(Flag{"--cpu-ok", 0, FlagKind::kOptionalValue, "fallback",
                  "may run without a card: at once if CPUs are free, or =fallback when no card is",
                  Offer::kWords, "prefer fallback"},
             "cpu_use", write_cpu_use),
};
inline constexpr std::array kWhenFlags = {
    as_field(
        Flag{"--priority", 0, FlagKind::kValue, "0-100|WORD",
             "idle, low, normal (50), high, urgent", Offer::kWords, "idle low normal high urgent"},
        "priority", write_flag<parse_priority>, "idle, low, normal, high, urgent"),
    as_field(Flag{"--after", 0, FlagKind::kValue, "[ok:|any:|fail:]7,8",
                  "wait for other jobs to end; repeatable", Offer::kJobs},
             "after"),
    as_field(
        Flag{"--begin", 0, FlagKind::kValue, "TIME", "not before: 18:00, 'tomorrow 8:00', +2h"},
        "begin", write_time, "not before; none: at once"),
    as_field(Flag{"--expire", 0, FlagKind::kValue, "TIME", "give up if it has not started by then"},
             "expire", write_time, "give up if not started by then; none: never"),
    as_field(Flag{"--deadline", 0, FlagKind::kValue, "TIME",
                  "should be over by then: goes first as it nears"},
             "deadline", write_time, "should be over by then: goes first as it nears; none"),
    as_field(Flag{"--hold", 0, FlagKind::kSwitch, "", "wait until it is released"}, "hold",
             write_fact),
    as_field(Flag{"--group", 0, FlagKind::kValue, "NAME",
                  "a named group with a limit on how many run at once", Offer::kGroups},
             "group", write_text, "another group; empty: none"),
    as_field(Flag{"--key", 0, FlagKind::kValue, "TEXT",
                  "submit once: the same key again answers with the same job"},
             "key", write_text),
};
inline constexpr std::array kLifeFlags = {
    as_field(Flag{"--time", 0, FlagKind::kValue, "DURATION",
                  "limit on its running time: 90, 15m, 1h30m"},
             "time_limit_s", write_flag<parse_duration>, "limit on running time; 0: none"),
    as_field(Flag{"--vram-limit", 0, FlagKind::kValue, "SIZE",
                  "ended when it takes more than this on a card"},
             "vram_limit_bytes", write_flag<parse_memory>,
             "what it may take on each card, also while it runs; 0: any"),
    as_field(Flag{"--signal", 0, FlagKind::kValue, "USR1@60",
                  "send this signal so long before the time limit"},
             "signal", write_warning),
    as_field(Flag{"--grace", 0, FlagKind::kValue, "DURATION", "between TERM and KILL (10s)"},
             "grace_s", write_flag<parse_duration>),
    as_field(Flag{"--retries", 0, FlagKind::kValue, "N[:CAUSE,…]",
                  "run again after a failure, at most N times"},
             "retries", write_retries, "how often it may run again after a failure"),
    as_field(Flag{"--retry-on", 0, FlagKind::kValue, "CAUSE,…",
                  "which failures: exit, signal, timeout, cuda_oom, …", Offer::kWords,
                  "exit signal timeout cuda_oom host_oom gpu_lost vram_limit launch machine_lost "
                  "supervisor_lost restore_lost"},
             "retry_causes", write_flag<parse_causes>),
    as_field(Flag{"--back-off", 0, FlagKind::kValue, "DURATION",
                  "before the first retry; doubles each time (5s)"},
             "retry_back_off_s", write_flag<parse_duration>),
    as_field(Flag{"--checkpoint", 0, FlagKind::kOptionalValue, "USR1@60",
                  "saves itself at this signal within so long, and goes on later from there"},
             "checkpoint", write_checkpoint),
    as_field(
        Flag{"--restartable", 0, FlagKind::kSwitch, "", "may be started over from the beginning"},
        "restartable", write_fact),
    as_field(Flag{"--preempt", 0, FlagKind::kValue, "WORD",
                  "how it may be moved aside: auto, cooperative, never", Offer::kWords,
                  "auto cooperative never"},
             "preempt", write_word),
    as_field(Flag{"--notify", 0, FlagKind::kValue, "[WHAT:]TARGET",
                  "tell a receiver or mail address of done,fail (or start, moved, late); "
                  "repeatable; none: nobody",
                  Offer::kReceivers},
             "notify", write_notify, "whom to tell of what, in place of the old; none: nobody"),
};
inline constexpr std::array kProcessFlags = {
    Flag{"--cmd", 0, FlagKind::kValue, "LINE", "a line for the shell instead of '-- COMMAND'"},
    as_field(Flag{"--shell", 0, FlagKind::kValue, "PROGRAM", "the shell for that line (/bin/sh)",
                  Offer::kWords, "sh bash zsh fish"},
             "shell_program", write_shell, "another shell for its line"),
    Flag{"--file", 0, FlagKind::kValue, "job.yaml", "read the job from a file; - is standard input",
         Offer::kFiles},
    as_field(
        Flag{"--cwd", 0, FlagKind::kValue, "DIR", "working directory (this one)", Offer::kFiles},
        "working_directory"),
    as_field(Flag{"--env", 0, FlagKind::kValue, "K=V",
                  "set a variable; K alone takes it from here; repeatable"},
             "environment"),
    Flag{"--no-env", 0, FlagKind::kSwitch, "",
         "start from an empty environment instead of this one"},
    Flag{"--no-defaults", 0, FlagKind::kSwitch, "", "leave gpusched.yaml and submit.yaml aside"},
    Flag{"--env-none", 0, FlagKind::kSwitch, "", "the same as --no-env"},
    as_field(Flag{"--output", 0, FlagKind::kValue, "PATH", "standard output (and errors) go there",
                  Offer::kFiles},
             "output_path", write_text),
    as_field(Flag{"--error", 0, FlagKind::kValue, "PATH", "standard error apart", Offer::kFiles},
             "error_path", write_text),
};
inline constexpr std::array kNamesFlags = {
    as_field(Flag{"--name", 0, FlagKind::kValue, "NAME", "for people"}, "name", write_text,
             "another name"),
    as_field(Flag{"--tag", 0, FlagKind::kValue, "TAG,…", "for filters; repeatable"}, "tags",
             write_texts, "these tags instead of the old ones"),
    as_field(Flag{"--comment", 0, FlagKind::kValue, "TEXT", "a note for people; show prints it"},
             "comment", write_text, "another note; empty: none"),
    as_field(Flag{"--project", 0, FlagKind::kValue, "NAME", "for reports"}, "project", write_text),
};
inline constexpr std::array kSweepFlags = {
    as_field(
        Flag{"--array", 0, FlagKind::kValue, "0-99%4",
             "one job per index; {index} in command, paths, names and variables; %4: 4 at once"},
        "array"),
    Flag{"--param", 0, FlagKind::kValue, "NAME=VALUES",
         "one job per value, which {NAME} stands for: a,b,c or 1:5 or 0:1:0.1; repeatable"},
    Flag{"--each-line", 0, FlagKind::kValue, "FILE|-",
         "one job per line, which {line} stands for; without a command each line is one",
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
