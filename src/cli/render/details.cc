// One thing at a time: a job in full, why it waits, its trail; groups.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "cli/render/render.h"
#include "cli/render/sheet.h"
#include "cli/table.h"
#include "core/model/spec_fields.h"

namespace gpusched::cli {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view with) {
  return fmt::format("{}", fmt::join(words, with));
}

std::string cards_with_uuids(const JobView& job) {
  std::string text;
  for (const CardRef& card : job.gpus) {
    if (!text.empty()) text += ", ";
    text += card.uuid.empty() ? std::to_string(card.number)
                              : fmt::format("{} ({})", card.number, card.uuid);
  }
  return text;
}

// "0,2,left".
std::string named_cards(const CardList& cards) {
  std::vector<std::string> words;
  for (const CardNumber card : cards.numbers) words.push_back(std::to_string(number_of(card)));
  words.insert(words.end(), cards.names.begin(), cards.names.end());
  return joined(words, ",");
}

std::string constraints_text(const Needs& needs) {
  std::vector<std::string> parts;
  const CardFilter& cards = *needs.cards;
  if (!cards.only.empty()) parts.push_back("only cards " + named_cards(cards.only));
  if (!cards.avoid.empty()) parts.push_back("not cards " + named_cards(cards.avoid));
  if (!cards.type.empty()) parts.push_back("type " + cards.type);
  if (needs.cpu_use == CpuUse::kPrefer) parts.emplace_back("CPUs if free");
  if (needs.cpu_use == CpuUse::kFallback) parts.emplace_back("CPUs if no card is free");
  return joined(parts, ", ");
}

std::string after_text(const JobDetails& job) {
  std::vector<std::string> parts;
  static constexpr std::array kHow = {"completed", "ended", "failed"};
  for (const Dependency& dependency : job.asked.extras->after) {
    parts.push_back(fmt::format("{} has {}", number_of(dependency.job),
                                kHow.at(static_cast<std::size_t>(dependency.kind))));
  }
  return joined(parts, ", ");
}

// As it can be opened from anywhere; a relative one lies in the job's directory.
std::string place_of(const JobDetails& job, const std::string& path) {
  const std::string& directory = job.asked.working_directory;
  return path.empty() || path[0] == '/' || directory.empty() ? path : directory + "/" + path;
}

std::string output_of(const JobDetails& job) {
  const std::string& chosen = job.asked.extras->output_path;
  return chosen.empty() ? job.log_path : place_of(job, chosen);
}

std::string state_text(const JobDetails& job) {
  std::string text = job.state;
  if (const std::string outcome = outcome_text(job); !outcome.empty()) text += ", " + outcome;
  if (job.state == "completed" && job.exit_code) text += ", exit 0";
  if (!job.hold_reason.empty()) text += fmt::format(" ({})", job.hold_reason);
  return text;
}

// "peak 7.2 GiB of 8.0 GiB asked, mean 6.0 GiB per card".
std::string vram_text(const JobDetails& job, const GpuUsageView& used) {
  if (used.peak_vram_bytes == 0) return "";
  std::string text = "peak " + format_size(used.peak_vram_bytes);
  const std::uint64_t asked = job.needs.vram_bytes * std::max<std::size_t>(job.gpus.size(), 1);
  if (asked > 0) text += fmt::format(" of {} asked", format_size(asked));
  if (used.mean_vram_bytes > 0) {
    text += fmt::format(", mean {} per card", format_size(used.mean_vram_bytes));
  }
  return text;
}

std::string card_use_text(const GpuUsageView& used) {
  std::vector<std::string> parts;
  const auto held = static_cast<std::int64_t>(used.gpu_seconds * 1e6);
  if (held > 0)
    parts.push_back(fmt::format("held {} of card time", format_duration(Microseconds{held})));
  if (used.mean_busy_percent) parts.push_back(fmt::format("{:.0f}% busy", *used.mean_busy_percent));
  if (used.mean_sm_active_percent) {
    parts.push_back(fmt::format("{:.0f}% SM active", *used.mean_sm_active_percent));
  }
  if (used.energy_joules) parts.push_back(fmt::format("{:.1f} kJ", *used.energy_joules / 1000));
  return joined(parts, ", ");
}

std::string progress_text(const JobDetails& job) {
  if (!job.progress || job.progress->total == 0) return "";
  const auto [step, total] = *job.progress;
  const double part = static_cast<double>(step) / static_cast<double>(total);
  return fmt::format("{} of {} ({:.0f}%)", step, total, part * 100);
}

// "for job 41, since 10:03:12 (4:10), 8.0 GiB in host RAM (checkpoint)".
std::string where_aside(const JobDetails& job, const Page& page) {
  const JobAsideView& aside = *job.aside;
  std::vector<std::string> parts;
  if (aside.by_hand) parts.emplace_back("on request");
  if (aside.ends_at) {
    parts.push_back(fmt::format("at its VRAM limit, until {}", local_time(*aside.ends_at, page)));
  }
  if (aside.for_job) parts.push_back(fmt::format("for job {}", *aside.for_job));
  if (aside.since) {
    const Microseconds span = std::max(page.now - *aside.since, Microseconds{0});
    parts.push_back(
        fmt::format("since {} ({})", local_time(*aside.since, page), format_duration(span)));
  }
  parts.push_back(
      aside.mechanism == "freeze"
          ? "frozen, its memory stays on its cards"
          : fmt::format("{} in host RAM ({})", format_size(aside.host_bytes), aside.mechanism));
  return joined(parts, ", ");
}

void moves(const JobDetails& job, const Page& page, Sheet& sheet) {
  if (job.aside) sheet.line("Aside", where_aside(job, page));
  if (job.moves > 0) {
    std::string text = fmt::format("{} time{}", job.moves, job.moves == 1 ? "" : "s");
    const Microseconds away{static_cast<std::int64_t>(job.away_s * 1e6)};
    if (away > Microseconds{0}) text += fmt::format(", away for {} in all", format_duration(away));
    sheet.line("Moved", text);
  }
  sheet.line("Last move", job.move_problem.empty() ? "" : "failed: " + job.move_problem);
}

void history(const JobDetails& job, const Page& page, Sheet& sheet) {
  sheet.time("Submitted", job.submitted_at);
  sheet.time("Started", job.started_at);
  sheet.time("Ended", job.ended_at);
  if (job.started_at) sheet.line("Ran", elapsed_text(job, page));
  moves(job, page, sheet);
  sheet.time("Retry at", job.retry_at);
  if (job.attempt > 1) sheet.line("Attempt", std::to_string(job.attempt));
  if (job.usage && job.ended_at && !job.adopted) {
    sheet.line("Used",
               fmt::format("{:.2f} s user, {:.2f} s system, {} resident", job.usage->user_cpu_s,
                           job.usage->system_cpu_s, format_size(job.usage->max_rss_bytes)));
  }
  sheet.line("Progress", progress_text(job));
  sheet.line("Said", job.said);
  sheet.time("Should end", job.expected_end);
  if (job.usage && job.usage->gpu) {
    sheet.line("VRAM", vram_text(job, *job.usage->gpu));
    sheet.line("Card use", card_use_text(*job.usage->gpu));
  }
  sheet.line("Memory", job.advice);
}

std::string checkpoint_text(const JobDetails& job) {
  const SaveTerms& saves = *job.asked.saves;
  std::string text =
      saves.signal == 0 ? "asked by file" : fmt::format("at signal {}", signal_text(saves.signal));
  text += fmt::format(", {} to save", format_duration(saves.grace));
  if (job.saved_attempt) text += fmt::format("; attempt {} saved", *job.saved_attempt);
  return text;
}

// What it asked for, and what holds it to that.
void limits(const JobDetails& job, Sheet& sheet) {
  if (job.mps) {
    sheet.line("MPS", "it uses its card through its user's server; the driver cannot move it");
    const int share = job.needs.share_percent;
    if (share > 0 && share < 100) {
      sheet.line("Compute", fmt::format("at most {} % of the card, by MPS", share));
    }
  }
  if (!job.without_mps.empty()) sheet.line("MPS", "not used: " + job.without_mps);
  if (job.asked.extras->vram_limit_bytes == 0) return;
  std::string limit = format_size(job.asked.extras->vram_limit_bytes) + " on each card";
  if (job.vram_limit_by == "mps") limit += ", by MPS";
  if (job.vram_limit_by == "dmem") limit += ", by the kernel (dmem)";
  if (job.vram_limit_by == "watch") limit += ", by watch";
  sheet.line("VRAM limit", limit);
}

std::string causes_text(CauseSet causes) {
  std::vector<std::string> names;
  for (const Cause cause : kAllCauses) {
    if (has_cause(causes, cause)) names.emplace_back(cause_name(cause));
  }
  return joined(names, ", ");
}

void rules(const JobDetails& job, Sheet& sheet) {
  const JobSpec& asked = job.asked;
  if (asked.time.limit > Seconds{0}) {
    std::string limit = format_duration(asked.time.limit);
    if (asked.time.warn_signal != 0) {
      limit += fmt::format(", signal {} {} before", signal_text(asked.time.warn_signal),
                           format_duration(asked.time.warn_before));
    }
    sheet.line("Time limit", limit);
  }
  sheet.line("After", after_text(job));
  sheet.time("Not before", asked.extras->begin);
  sheet.time("Expires", asked.extras->expire);
  sheet.time("Deadline", asked.extras->deadline);
  sheet.line("At risk", job.deadline_warning);
  if (const int retries = asked.retry.retries; retries > 0) {
    sheet.line("Retries", fmt::format("{} of {} used, on {}", std::min(job.failures, retries),
                                      retries, causes_text(asked.retry.causes)));
  }
  if (job.device_filter == "on") sheet.line("Devices", "it can open no card but its own");
  if (job.device_filter.starts_with("off: ")) {
    sheet.line("Devices", "not filtered: " + job.device_filter.substr(5));
  }
  limits(job, sheet);
  if (asked.saves) sheet.line("Checkpoint", checkpoint_text(job));
  if (asked.restartable) sheet.line("Restartable", "yes");
  if (asked.preempt == PreemptPolicy::kCooperative) sheet.line("Preemption", "cooperative");
  if (asked.preempt == PreemptPolicy::kNever) sheet.line("Preemption", "never");
}

// Texts that need no words of their own.
void labelled(const JobSpec& asked, Sheet& sheet) {
  for_each_spec_field([&](const auto& row) {
    if constexpr (std::is_same_v<decltype(row.in(asked)), const std::string&>) {
      if (!row.terms.label.empty()) sheet.line(row.terms.label, row.in(asked));
    }
  });
}

}  // namespace

std::string render_details(const JobDetails& job, const Page& page) {
  Sheet sheet(page);
  sheet.line("Job", std::to_string(job.id));
  sheet.line("Name", job.name);
  sheet.line("Command", job.command);
  if (job.adopted) {
    sheet.line("Adopted", fmt::format("process {}{}", job.adopted->pid,
                                      job.adopted->by_rule ? ", by rule: it sat idle" : ""));
  }
  sheet.line("State", state_text(job));
  sheet.line("Reason", job.reason);
  sheet.line("Message", job.message);
  sheet.time("Should start", job.estimated_start);
  if (!job.start_unknown.empty()) sheet.line("Should start", "unknown: " + job.start_unknown);
  sheet.line("User", job.user);
  sheet.line("Priority", std::to_string(job.priority));
  sheet.line("Needs", needs_text(job.needs));
  sheet.line("Constraints", constraints_text(job.needs));
  sheet.line("Cards", cards_with_uuids(job));
  sheet.line("Near CPUs", job.near_cpus);
  if (job.array && job.array_index) {
    sheet.line("Array", fmt::format("index {} of {}", *job.array_index, *job.array));
  }
  sheet.line("Sweep", job.sweep);
  for (const auto& [name, value] : job.values) sheet.line("{" + name + "}", value);
  sheet.line("Group", job.group);
  sheet.line("Project", job.project);
  sheet.line("Tags", joined(job.tags, ", "));
  labelled(job.asked, sheet);
  sheet.line("Notify", joined(job.asked.extras->notify, "; "));
  history(job, page, sheet);
  rules(job, sheet);
  sheet.line("Directory", job.asked.working_directory);
  sheet.line("Output", output_of(job));
  sheet.line("Errors", place_of(job, job.asked.extras->error_path));
  return sheet.take();
}

std::string render_ended(const JobDetails& job, const Page& page) {
  std::string head = fmt::format("Job {} is {}", job.id, job.state);
  if (const std::string how = outcome_text(job); !how.empty()) head += ": " + how;
  std::string out = styled(escaped(head) + ".", Style::kBold, page.colour) + "\n";
  const auto line = [&](const std::string& text) {
    out += "  " + wrapped(escaped(text), page.width, 2) + "\n";
  };
  if (!job.message.empty()) line(job.message);
  if (job.started_at && job.ended_at) {
    line(fmt::format("It ran for {}, until {}.", elapsed_text(job, page),
                     local_time(*job.ended_at, page)));
  } else {
    line("It never ran.");
  }
  // A lease and an adopted process write where their holder says.
  if (const std::string file = output_of(job); job.started_at && !file.empty()) {
    line(fmt::format("Its output: gpusched logs {}", job.id));
    line("The file: " + file);
  }
  return out;
}

std::string render_trail(const std::vector<TrailView>& trail, const Page& page) {
  Table table({{"TIME"}, {"JOB", true}, {"TRY", true, 0, 1}, {"WHAT"}, {"WHY", false, 12}});
  for (const TrailView& line : trail) {
    table.add({{line.at ? local_time(*line.at, page) : "", Style::kDim},
               {std::to_string(line.job)},
               {line.attempt > 0 ? std::to_string(line.attempt) : ""},
               {fmt::format("{:<9}", line.kind)},
               {line.text}});
  }
  return table.text(page.width, page.colour);
}

std::string render_groups(const std::vector<GroupView>& groups, const Page& page) {
  Table table(
      {{"GROUP", false, 8}, {"LIMIT", true}, {"RUNNING", true}, {"WAITING", true}, {"STATE"}});
  for (const GroupView& group : groups) {
    table.add({{group.name},
               {group.limit == 0 ? "none" : std::to_string(group.limit)},
               {std::to_string(group.running)},
               {std::to_string(group.waiting)},
               {group.paused ? "paused" : ""}});
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
