#include "replay/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "json/json_writer.h"

namespace gpusched::replay {
namespace {

void write_spread(JsonWriter& json, std::string_view what, const Spread& spread,
                  std::string_view unit) {
  const auto one = [&](std::string_view which, double value) {
    json.field(fmt::format("{}_{}{}", which, what, unit), value);
  };
  one("avg", spread.average);
  one("median", spread.median);
  one("p95", spread.p95);
  one("p99", spread.p99);
  one("max", spread.longest);
}

void write_measures(JsonWriter& json, const Measures& measures) {
  json.field("jobs", measures.jobs);
  write_spread(json, "jct", measures.completion_s, "_s");
  write_spread(json, "wait", measures.wait_s, "_s");
  write_spread(json, "slowdown", measures.slowdown, "");
  json.field("makespan_s", measures.makespan_s);
  json.field("utilisation_percent", measures.utilisation_percent);
  json.field("idle_while_asked_percent", measures.idle_while_asked_percent);
  json.field("jain", measures.shares.jain);
  json.field("preemptions", measures.preemptions);
  json.field("lost_gpu_s", measures.lost_card_seconds);
  json.field("timed_out", measures.timed_out);
  json.field("start_prediction_error_s", measures.prediction_error_s);
  json.key("windows").begin_object();
  json.field("days", 7).field("tenant_windows", measures.shares.windows);
  json.field("below_80_percent", measures.shares.below);
  json.field("worst_part", measures.shares.worst).end_object();
  json.key("tenants").begin_array();
  for (const TenantShare& tenant : measures.tenants) {
    json.begin_object().field("tenant", tenant.tenant).field("jobs", tenant.jobs);
    json.field("gpu_s", tenant.card_seconds).field("avg_wait_s", tenant.average_wait_s);
    json.end_object();
  }
  json.end_array();
}

void write_packing(JsonWriter& json, const PackingResult& result) {
  json.field("jobs", result.tasks).field("gpus", result.cards);
  json.field("seeds", result.allocated_percent.size());
  json.field("allocated_percent", result.mean());
  json.field("allocated_percent_deviation", result.deviation());
  json.field("fragmented_percent", spread_of(result.fragmented_percent).average);
  json.key("allocated_percent_by_seed").begin_array();
  for (const double percent : result.allocated_percent) json.value(percent);
  json.end_array();
}

std::string duration_text(double seconds) {
  return format_duration(Microseconds{static_cast<Microseconds::rep>(seconds * 1e6)});
}

std::string spread_row(std::string_view name, const Spread& spread, bool times) {
  const auto cell = [&](double value) {
    return times ? duration_text(value) : fmt::format("{:.2f}", value);
  };
  return fmt::format("{:<12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", name, cell(spread.average),
                     cell(spread.median), cell(spread.p95), cell(spread.p99), cell(spread.longest));
}

std::string tenant_rows(const Measures& measures) {
  constexpr std::size_t kShown = 20;
  if (measures.tenants.size() < 2) return {};
  double all = 0;
  for (const TenantShare& tenant : measures.tenants) all += tenant.card_seconds;
  std::string out = fmt::format("\n{:<20}{:>10}{:>14}{:>10}{:>16}\n", "tenant", "jobs", "GPU-hours",
                                "share", "average wait");
  for (std::size_t i = 0; i < std::min(kShown, measures.tenants.size()); ++i) {
    const TenantShare& tenant = measures.tenants[i];
    out += fmt::format("{:<20}{:>10}{:>14.1f}{:>8.1f} %{:>16}\n", tenant.tenant, tenant.jobs,
                       tenant.card_seconds / 3600, all > 0 ? 100 * tenant.card_seconds / all : 0,
                       duration_text(tenant.average_wait_s));
  }
  if (measures.tenants.size() > kShown) {
    out += fmt::format("and {} more\n", measures.tenants.size() - kShown);
  }
  const WindowShares& shares = measures.shares;
  return out + fmt::format(
                   "Of {} weeks of a tenant with demand, {} ({:.1f} %) got less than 0.8 of "
                   "what was due; the worst got {:.2f}.\n",
                   shares.windows, shares.below,
                   shares.windows > 0 ? 100.0 * static_cast<double>(shares.below) /
                                            static_cast<double>(shares.windows)
                                      : 0.0,
                   shares.worst);
}

std::string measures_text(const SimulateAsked& asked, const Measures& measures) {
  std::string out = fmt::format("{} jobs, {} cards in {} nodes, policy {}, cost {}\n\n",
                                measures.jobs, asked.machine.total(), asked.machine.nodes,
                                asked.policy, cost_name(cost_of(asked)));
  out += fmt::format("{:<12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "", "average", "median", "p95",
                     "p99", "longest");
  out += spread_row("completion", measures.completion_s, true);
  out += spread_row("waiting", measures.wait_s, true);
  out += spread_row("slowdown", measures.slowdown, false);
  out += fmt::format(
      "\nmakespan              {}\n"
      "cards in use          {:.1f} % until the last submission\n"
      "idle while asked for  {:.1f} %\n"
      "fairness (Jain)       {:.3f}\n"
      "preemptions           {}, {} of card time lost\n",
      duration_text(measures.makespan_s), measures.utilisation_percent,
      measures.idle_while_asked_percent, measures.shares.jain, measures.preemptions,
      duration_text(measures.lost_card_seconds));
  if (measures.timed_out > 0) out += fmt::format("ended by limit        {}\n", measures.timed_out);
  if (measures.prediction_error_s) {
    out += fmt::format("predicted start       off by {} (median)\n",
                       duration_text(*measures.prediction_error_s));
  }
  return out + tenant_rows(measures);
}

}  // namespace

std::string as_json(const SimulateAsked& asked, const SimulateResult& result) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("policy", asked.policy);
  if (const auto* done = std::get_if<Simulated>(&result)) {
    json.field("cost", cost_name(cost_of(asked)));
    write_measures(json, done->measures);
  } else {
    write_packing(json, std::get<PackingResult>(result));
  }
  json.end_object();
  return out + "\n";
}

std::string compared_json(const SimulateAsked& asked, const Measures& was, const Measures& would) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).field("policy", asked.policy);
  json.field("cards", asked.machine.total()).key("as_it_was").begin_object();
  write_measures(json, was);
  json.end_object().key("simulated").begin_object();
  write_measures(json, would);
  json.end_object().end_object();
  return out + "\n";
}

std::string as_csv(const Simulated& result) {
  const auto seconds = [](Microseconds time) {
    return std::chrono::duration<double>(time).count();
  };
  std::string out = "line,tenant,gpus,submit_s,wait_s,jct_s,preemptions\n";
  for (std::size_t i = 0; i < result.trace.size(); ++i) {
    const TraceJob& job = result.trace[i];
    const JobOutcome& seen = result.outcome.jobs[i];
    const Microseconds completion = seen.end - job.submit;
    out += fmt::format("{},{},{},{:.6f},{:.6f},{:.6f},{}\n", job.line, job.tenant, job.cards(),
                       seconds(job.submit), seconds(completion - seen.on_cards),
                       seconds(completion), seen.preemptions);
  }
  return out;
}

std::string as_text(const SimulateAsked& asked, const SimulateResult& result) {
  if (const auto* done = std::get_if<Simulated>(&result)) {
    return measures_text(asked, done->measures);
  }
  const auto& packed = std::get<PackingResult>(result);
  return fmt::format(
      "{} tasks asked for all {} cards, policy {}, mean of {} seeds\n\n"
      "allocated   {:.2f} % (deviation {:.2f})\n"
      "fragmented  {:.2f} %: free, and no use to typical tasks\n",
      packed.tasks, packed.cards, asked.policy, packed.allocated_percent.size(), packed.mean(),
      packed.deviation(), spread_of(packed.fragmented_percent).average);
}

}  // namespace gpusched::replay
