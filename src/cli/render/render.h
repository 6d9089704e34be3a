// Views as text. Pure: the width, the colour and the time are given, so that golden files can
// pin every line. Everything that came from users is escaped on its way through here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/views/views.h"
#include "wire/messages/alarm.h"
#include "wire/messages/audit.h"
#include "wire/messages/outbox.h"
#include "wire/messages/token.h"

namespace gpusched::cli {

struct Page {
  std::size_t width = 0;  // 0: not a terminal; as wide as it takes.
  bool colour = false;
  bool ascii = false;  // The locale knows no other characters.
  Wall now{};
  Seconds (*offset_at)(Wall) = nullptr;  // Local time minus UTC; null: UTC.
};

std::string render_overview(const OverviewView& view, const Page& page);
std::string render_jobs(const std::vector<JobView>& jobs, const Page& page);
// Jobs, and sweeps as one line each.
std::string render_folded(const FoldedJobs& listed, const Page& page);
std::string sweeps_table(const std::vector<SweepView>& sweeps, const Page& page);
// All about a sweep but its jobs.
std::string render_sweep(const SweepView& sweep, const Page& page);
// "3 ok, 1 failed, 2 running, 19 waiting"
std::string counts_text(const CountsView& counts);
std::string render_details(const JobDetails& job, const Page& page);
std::string render_explain(const ExplainView& view, const Page& page);
std::string render_explained_together(const ExplainedTogetherView& view, const Page& page);
// What became of a job that has ended, and where its output is.
std::string render_ended(const JobDetails& job, const Page& page);
std::string render_trail(const std::vector<TrailView>& trail, const Page& page);
// REQUIRES: it has a preview.
std::string render_preview(const SubmittedView& submitted, const Page& page);
std::string render_groups(const std::vector<GroupView>& groups, const Page& page);
std::string render_reservations(const std::vector<ReservationView>& reservations, const Page& page);
std::string render_alarms(const std::vector<wire::Alarm>& alarms, const Page& page);
std::string render_outbox(const wire::Outbox& outbox, const Page& page);
std::string render_silences(const std::vector<wire::Silence>& silences, const Page& page);
std::string render_alarm_rules(const std::vector<wire::AlarmRule>& rules, const Page& page);
std::string render_tokens(const std::vector<wire::Token>& tokens, const Page& page);
std::string render_audit(const std::vector<wire::AuditEntry>& entries, const Page& page);
std::string audit_csv(const std::vector<wire::AuditEntry>& entries);
std::string render_gpus(const GpusView& view, const Page& page);

// Pieces that several of them, and messages, use (render_text.cc, render_gpus.cc).
std::string local_time(Wall time, const Page& page);  // "2026-01-01 08:00:05"
std::string needs_text(const Needs& needs);           // "2 × 8.0 GiB", "1 card", "2 CPUs"
std::string outcome_text(const JobView& job);         // "exit 3", "signal 9 (KILL)", "timeout"
std::string cards_text(const JobView& job);           // "0,1"
std::string elapsed_text(const JobView& job, const Page& page);
std::string counted(std::uint64_t n, std::string_view one, std::string_view many);
// Empty: not known.
std::string size_text(const std::optional<std::uint64_t>& bytes);
std::string percent_text(const std::optional<double>& percent);
std::string watts_text(const std::optional<double>& watts);
// "job 7, 20.0 GiB in host RAM, for 12m; idle, returns when used"
std::string aside_text(const AsideView& aside, Wall now);
std::string card_trouble(const CardView& card);  // "Card 1 is unknown: the driver has not…"
std::string signal_text(int number);             // "9 (KILL)"

}  // namespace gpusched::cli
