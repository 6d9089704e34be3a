#include "cli/logs/digest.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/jobs/job_ids.h"
#include "cli/logs/last_lines.h"
#include "cli/render/render.h"
#include "cli/session.h"
#include "cli/table.h"
#include "cli/terminal.h"

namespace gpusched::cli {
namespace {

// "\n"-separated; empty: it has said nothing yet, or nothing that may be read.
std::vector<std::string> last_words(const Client& client, std::uint64_t id, std::uint64_t lines) {
  auto last = last_lines(client, {id, ""}, lines);
  if (!last) return {"(" + last.error().message + ")"};
  std::vector<std::string> words;
  for (const std::string_view line : split(last->text, '\n')) {
    words.emplace_back(after_returns(line));
  }
  if (!words.empty() && words.back().empty()) words.pop_back();
  return words;
}

void add_digest(Table& table, const std::vector<Cell>& head,
                const std::vector<std::string>& words) {
  std::vector<Cell> cells = head;
  cells.push_back({words.empty() ? "-" : words.front()});
  table.add(std::move(cells));
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::vector<Cell> more(head.size());
    more.push_back({words[i]});
    table.add(std::move(more));
  }
}

// The job of a sweep that speaks for it: the last one that runs, else that failed, else that ended.
std::optional<std::uint64_t> speaker_of(const Client& client, const SweepView& sweep) {
  for (const std::string_view state : {"active", "failed", "ended"}) {
    auto jobs = list_jobs(
        client, {.target = fmt::format("/v1/jobs?array={}&state={}&newest=1", sweep.id, state)});
    if (jobs && !jobs->empty()) return jobs->front().id;
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> digest_of_logs(const Client& client, const DigestAsked& asked) {
  std::string target = list_target(asked.selection);
  if (!asked.expand) target = with_parameter(target, "sweeps=1");
  auto listed = list_folded(client, {.target = target});
  if (!listed) return failure(listed.error());
  if (listed->empty()) {
    note("no job runs here; name jobs to see their last lines");
    return std::string();
  }
  return digest_text(client, *listed, asked.lines);
}

std::string digest_text(const Client& client, const FoldedJobs& listed, std::uint64_t lines) {
  const Page page = stdout_page();
  Table table({{"ID", true},
               {"STATE", false, 12, 1},
               {"TIME", true, 0, 2},
               {"NAME", false, 6, 3},
               {"LAST LINE", false, 20}});
  for (const JobView& job : listed.jobs) {
    add_digest(table,
               {{std::to_string(job.id)}, {job.state}, {elapsed_text(job, page)}, {job.name}},
               last_words(client, job.id, lines));
  }
  for (const SweepView& sweep : listed.sweeps) {
    const auto speaker = speaker_of(client, sweep);
    std::vector<std::string> words;
    if (speaker) {
      words = last_words(client, *speaker, lines);
      for (std::string& line : words) line = fmt::format("{}: {}", *speaker, line);
    }
    add_digest(table, {{std::to_string(sweep.id)}, {counts_text(sweep.counts)}, {""}, {sweep.name}},
               words);
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
