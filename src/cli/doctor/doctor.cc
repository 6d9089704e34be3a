#include "cli/doctor/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/display.h"
#include "cli/doctor/cards.h"
#include "cli/doctor/host.h"
#include "cli/doctor/kernel.h"
#include "cli/doctor/machine.h"
#include "json/json_writer.h"
#include "os/locations.h"

namespace gpusched::cli {
namespace {

constexpr std::size_t kIndent = 6;
// A healthy driver answers in a second, many cards without persistence mode in several.
constexpr std::chrono::milliseconds kLookPatience{15'000};

std::string_view mark_of(Health health) {
  switch (health) {
    case Health::kGood:
      return "ok  ";
    case Health::kWarn:
      return "warn";
    case Health::kBad:
      return "BAD ";
  }
  return "";
}

Style style_of(Health health) {
  switch (health) {
    case Health::kGood:
      return Style::kGreen;
    case Health::kWarn:
      return Style::kYellow;
    case Health::kBad:
      return Style::kRed;
  }
  return Style::kPlain;
}

const char* word_of(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kWarn:
      return "warn";
    case Health::kBad:
      return "bad";
  }
  return "";
}

}  // namespace

std::vector<Finding> examine(const Client& client) {
  std::string state = default_state_directory(process_environment(), ::geteuid() == 0);
  std::vector<Finding> findings;
  findings.push_back(check_daemon(client, state));
  findings.push_back(check_kernel());
  findings.push_back(check_pidfd());
  findings.push_back(check_cgroups());
  findings.push_back(check_state_directory(state));
  findings.push_back(check_disk(state));
  const Result<LocalLook> look = look_here(kLookPatience);
  for (Finding& finding : check_cards(look)) findings.push_back(std::move(finding));
  findings.push_back(check_nvidia_smi());
  for (Finding& finding : check_host(read_host_facts(), look ? &*look : nullptr)) {
    findings.push_back(std::move(finding));
  }
  findings.push_back(check_units());
  return findings;
}

std::string render_findings(const std::vector<Finding>& findings, const Page& page) {
  std::string out;
  const auto line = [&](std::string_view label, const std::string& text) {
    if (text.empty()) return;
    const std::string all = fmt::format("{}{}", label, escaped(text));
    out += std::string(kIndent, ' ') + wrapped(all, page.width, kIndent) + "\n";
  };
  for (const Finding& finding : findings) {
    const std::string head = finding.about + ": " + finding.is;
    out += styled(mark_of(finding.health), style_of(finding.health), page.colour) + "  " +
           wrapped(escaped(head), page.width, kIndent) + "\n";
    line("costs: ", finding.costs);
    line("to fix: ", finding.fix);
  }
  return out;
}

std::string findings_json(const std::vector<Finding>& findings) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().field("schema", 1).key("checks").begin_array();
  for (const Finding& finding : findings) {
    json.begin_object().field("about", finding.about).field("health", word_of(finding.health));
    json.field("is", finding.is);
    json.key("costs").text_or_null(finding.costs).key("fix").text_or_null(finding.fix);
    json.end_object();
  }
  json.end_array().end_object();
  return out + "\n";
}

}  // namespace gpusched::cli
