#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/display.h"
#include "cli/files.h"
#include "cli/report/report_page.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/simulate/own_past.h"
#include "cli/terminal.h"
#include "cli/views/report_view.h"
#include "cli/views/view_reader.h"
#include "os/clock.h"
#include "replay/suggest.h"
#include "report/report_figures.h"
#include "report/report_text.h"

namespace gpusched::cli {
namespace {

constexpr std::array kReportFlags = {
    Flag{"--since", 0, FlagKind::kValue, "TIME",
         "since when: 7d, 12h, or \"2026-01-01 08:00\" (default: 7d)"},
    Flag{"--until", 0, FlagKind::kValue, "TIME", "until when, in the same words (default: now)"},
    Flag{"--by", 0, FlagKind::kValue, "WHAT",
         "a row for each user, card, tenant, project, name, program or hour (default: user)",
         Offer::kWords, "user card tenant project name program hour"},
    Flag{"--suggest", 0, FlagKind::kSwitch, "",
         "also say which programs ask for more memory than they use, and what less would spare"},
};
constexpr std::array kReportForm = {
    Flag{"--format", 0, FlagKind::kValue, "NAME",
         "table, csv, json or html, one page with plots (default: table)", Offer::kWords,
         "table csv json html"},
    Flag{"--output", 'o', FlagKind::kValue, "FILE", "into a new file", Offer::kFiles},
};
constexpr std::array<FlagSection, 3> kReportSections = {FlagSection{"What", kReportFlags},
                                                        FlagSection{"Form", kReportForm},
                                                        FlagSection{"General", kCommonFlags}};

enum class ReportForm : unsigned char { kTable, kCsv, kJson, kHtml };

Result<ReportForm> form_of(const Arguments& arguments) {
  const FlagValue* format = arguments.find("--format");
  const bool json = arguments.has("--json");
  if (format == nullptr) return json ? ReportForm::kJson : ReportForm::kTable;
  if (json && format->text != "json") return bad_value(*format, "--json says otherwise");
  if (format->text == "table") return ReportForm::kTable;
  if (format->text == "csv") return ReportForm::kCsv;
  if (format->text == "json") return ReportForm::kJson;
  if (format->text == "html") return ReportForm::kHtml;
  return bad_value(*format, "table, csv, json or html");
}

// "&since=…" as the API wants it; empty: not given.
Result<std::string> moment_of(const Arguments& arguments, std::string_view flag) {
  const FlagValue* given = arguments.find(flag);
  if (given == nullptr) return std::string();
  if (const auto range = parse_duration(given->text)) {
    return fmt::format("&{}={}", flag.substr(2), range->count());
  }
  const Page page = stdout_page();
  const Seconds offset = page.offset_at == nullptr ? Seconds{0} : page.offset_at(page.now);
  const auto moment = parse_time(given->text, page.now, offset);
  if (!moment) return bad_value(*given, moment.error().message);
  return fmt::format("&{}={}", flag.substr(2), percent_encoded(format_time(*moment)));
}

Result<std::string> target_of(const Arguments& arguments) {
  std::string by = "user";
  if (const FlagValue* flag = arguments.find("--by"); flag != nullptr) {
    by = flag->text;
    const auto words = split(std::string_view("user card tenant project name program hour"), ' ');
    if (std::ranges::find(words, by) == words.end()) {
      return bad_value(*flag, "user, card, tenant, project, name, program or hour");
    }
  }
  std::string target = "/v1/report?by=" + by;
  for (const std::string_view flag : {"--since", "--until"}) {
    const auto moment = moment_of(arguments, flag);
    if (!moment) return failure(moment.error());
    target += *moment;
  }
  return target;
}

// In this process: the daemon's loop has no time for replays.
Result<void> add_suggestions(const Client& client, wire::Report& report) {
  replay::SimulateAsked asked;
  if (auto taken = take_machine(client, asked); !taken) return taken;
  std::vector<wire::ReportSuggestion>& list = report.suggestions.emplace();
  auto past = fetch_past(client, asked.machine, report.since.value_or(Wall{}));
  if (!past && past.error().code == ErrorCode::kNotFound) return {};
  if (!past) return failure(past.error());
  const auto found = replay::suggest(asked, std::move(*past));
  if (!found) return failure(found.error());
  for (const replay::Suggestion& one : *found) {
    list.push_back({.program = one.program,
                    .tenant = one.tenant,
                    .runs = one.runs,
                    .asked_bytes = one.asked_bytes,
                    .peak_bytes = one.peak_bytes,
                    .suggested_bytes = one.suggested_bytes,
                    .sooner_s = one.sooner_s,
                    .text = replay::suggestion_text(one)});
  }
  return {};
}

std::string written_as(ReportForm form, const wire::Report& report, const std::string& body) {
  switch (form) {
    case ReportForm::kCsv:
      return report_csv(report);
    case ReportForm::kHtml:
      return report_page(report);
    case ReportForm::kJson:
      return report.suggestions ? wire::to_json(report) : body;
    case ReportForm::kTable:
      break;
  }
  const Page page = stdout_page();
  std::string out = render_report(view_of_report(report), page);
  if (!report.rows.empty()) out += wrapped(kTableMeans, page.width, 0) + "\n";
  return out + report_sections(report);
}

Result<void> give_out(const Arguments& arguments, const std::string& text) {
  const FlagValue* output = arguments.find("--output");
  if (output == nullptr || output->text == "-") return print(text);
  auto file = NewFile::create(output->text);
  if (!file) return failure(file.error());
  if (auto written = file->write(text); !written) return written;
  return file->keep();
}

int run_report(const Arguments& arguments) {
  const auto form = form_of(arguments);
  if (!form) return fail(form.error());
  const auto target = target_of(arguments);
  if (!target) return fail(target.error());
  const Client client = client_of(arguments);
  const Request request{.target = *target};
  const bool plain = !arguments.has("--suggest") && !arguments.has("--output");
  if (*form == ReportForm::kJson && plain) return pass_through(client, request);
  const auto body = client.call(request);
  if (!body) return fail(body.error());
  auto report = parse_message<wire::Report>(*body);
  if (!report) return fail(report.error());
  if (arguments.has("--suggest")) {
    if (auto added = add_suggestions(client, *report); !added) {
      return fail({added.error().code, "work out suggestions: " + added.error().message});
    }
  }
  const auto done = give_out(arguments, written_as(*form, *report, *body));
  return done ? kExitOk : fail(done.error());
}

}  // namespace

constinit const Verb kReportVerb = {
    .name = "report",
    .summary = "what was done with the cards, by whom, and what it cost",
    .usage = "report [--since 30d] [--by WHAT] [--format NAME] [-o FILE] [FLAGS]",
    .about =
        "From sums that are kept day by day and stay when jobs are removed, and from what runs "
        "now.\n"
        "Days count whole, and all times of a report are UTC. One of less than two days counts "
        "single\n"
        "jobs, to the second. Behind the tables stands what their columns mean; "
        "docs/guide/reports.md\n"
        "says how to read it.",
    .examples =
        "gpusched report\n"
        "gpusched report --since 30d --by tenant --suggest\n"
        "gpusched report --since 24h --by card\n"
        "gpusched report --since 30d --format html -o month.html",
    .sections = kReportSections,
    .run = run_report,
};

}  // namespace gpusched::cli
