#include "watch/nvidia_smi.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "watch/child.h"
#include "watch/kept.h"
#include "watch/nvidia_proc.h"
#include "watch/nvidia_smi_text.h"
#include "watch/pci.h"
#include "watch/run_program.h"

namespace gpusched::watch {
namespace {

using namespace std::chrono_literals;

// Without persistence mode the first run starts the cards, which takes seconds.
constexpr std::chrono::milliseconds kDeadline = 10s;
// So many unknown columns are left out one by one; then only those of every version are asked.
constexpr int kMostColumnsLeftOut = 4;

std::string first_line(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
    }
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return {};
}

class NvidiaSmi final : public Backend {
 public:
  NvidiaSmi(std::string program, const Host& host)
      : program_(std::move(program)), host_(host), tree_(host.root) {
    // A card that sleeps already is known by the driver's files, and is left asleep.
    for (CardIdentity& card : nvidia_proc_cards(tree_)) {
      if (is_suspended(tree_, card.pci)) known_[card.uuid] = std::move(card);
    }
  }

  std::string name() const override { return "nvidia-smi"; }
  std::string driver_version() const override {
    const std::lock_guard lock(mutex_);
    return driver_version_;
  }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) override {
    const auto read = all_cards();
    if (!read) return failure(read.error());
    std::vector<CardIdentity> found;
    for (const SmiCard& card : read->cards) found.push_back(card.identity);
    complaints.insert(complaints.end(), read->complaints.begin(), read->complaints.end());
    const std::lock_guard lock(mutex_);
    for (const SmiCard& card : read->cards) {
      driver_version_ = card.driver_version;
      known_[card.identity.uuid] = card.identity;
    }
    // One that sleeps is still there: it is listed as it was seen last.
    for (const auto& [uuid, identity] : known_) {
      if (std::ranges::find(found, uuid, &CardIdentity::uuid) == found.end() &&
          is_suspended(tree_, identity.pci)) {
        found.push_back(identity);
      }
    }
    std::ranges::stable_sort(found, {}, &CardIdentity::pci);
    return found;
  }

  Result<CardSample> sample(const CardIdentity& card) override {
    if (is_suspended(tree_, card.pci)) return asleep(card);
    const auto read = all_cards();
    if (!read) return failure(read.error());
    for (const SmiCard& each : read->cards) {
      if (each.identity.uuid == card.uuid) return each.sample;
    }
    return not_there(card);
  }

  Result<std::vector<ProcessSample>> processes(const CardIdentity& card) override {
    if (is_suspended(tree_, card.pci)) {
      if (const auto seen = asleep(card); !seen) return failure(seen.error());
      return std::vector<ProcessSample>{};
    }
    const auto known = all_cards();
    if (!known) return failure(known.error());
    const auto same = [&](const SmiCard& each) { return each.identity.uuid == card.uuid; };
    if (std::ranges::none_of(known->cards, same)) return not_there(card);
    const auto rows = processes_.value(host_.now, [this] { return read_processes(); });
    if (!rows) return failure(rows.error());
    std::vector<ProcessSample> found;
    for (const SmiProcess& row : *rows) {
      const bool here = row.card_uuid.empty() ? !row.pci.empty() && row.pci == card.pci
                                              : row.card_uuid == card.uuid;
      if (here && std::ranges::find(found, row.process.pid, &ProcessSample::pid) == found.end()) {
        found.push_back(row.process);
        found.back().name =
            tree_.word("proc/" + std::to_string(row.process.pid) + "/comm").value_or("");
      }
    }
    return found;
  }

  Result<std::vector<CardEvent>> events(std::chrono::milliseconds) override {
    return std::vector<CardEvent>{};
  }

 private:
  tl::unexpected<Error> not_there(const CardIdentity& card) const {
    return failure(ErrorCode::kNotFound, fmt::format("nvidia-smi does not list {}", card.uuid));
  }

  // Nothing is known of a sleeping card but that it is there.
  Result<CardSample> asleep(const CardIdentity& card) const {
    const std::lock_guard lock(mutex_);
    if (!known_.contains(card.uuid)) return not_there(card);
    return CardSample{};
  }

  Result<SmiCards> all_cards() {
    return cards_.value(host_.now, [this] { return read_cards(); });
  }

  // "--id=" with those that are awake; empty if all are. Nothing if none is.
  std::optional<std::string> chosen_cards() const {
    std::set<std::string> places;
    for (const std::string& pci : nvidia_proc_addresses(tree_)) places.insert(pci);
    {
      const std::lock_guard lock(mutex_);
      for (const auto& [uuid, identity] : known_) places.insert(identity.pci);
    }
    std::string awake;
    bool some_sleep = false;
    for (const std::string& pci : places) {
      if (is_suspended(tree_, pci)) {
        some_sleep = true;
      } else if (!pci.empty()) {
        awake += (awake.empty() ? "--id=" : ",") + pci;
      }
    }
    if (!some_sleep) return std::string{};
    if (awake.empty()) return std::nullopt;
    return awake;
  }

  Result<ProgramOutput> query(const std::string& what, const std::vector<std::string>& columns,
                              const std::string& chosen) const {
    std::string asked = "--query-" + what;
    for (const std::string& column : columns)
      asked += (&column == columns.data() ? "=" : ",") + column;
    ProgramRun run;
    run.arguments = {program_, asked, "--format=csv,noheader,nounits"};
    if (!chosen.empty()) run.arguments.push_back(chosen);
    run.deadline = kDeadline;
    return run_program(run, host_);
  }

  // False if it was not asked for.
  bool leave_out(const std::string& column) {
    const auto place = std::ranges::find(columns_, column);
    if (place == columns_.end()) return false;
    if (std::string older = older_column(column); !older.empty()) {
      *place = std::move(older);
    } else {
      columns_.erase(place);
    }
    return true;
  }

  // Called by one thread at a time: `cards_` sees to that.
  Result<SmiCards> read_cards() {
    const auto chosen = chosen_cards();
    if (!chosen) return SmiCards{};
    for (int left_out = 0;; ++left_out) {
      const auto output = query("gpu", columns_, *chosen);
      if (!output) return failure(output.error());
      if (const std::string unknown = unknown_column(output->output + output->errors);
          !unknown.empty()) {
        if (left_out > kMostColumnsLeftOut || !leave_out(unknown)) {
          return failure(ErrorCode::kUnsupported,
                         fmt::format("nvidia-smi does not know the column {}", unknown));
        }
        if (left_out == kMostColumnsLeftOut) columns_ = smi_least_card_columns();
        continue;
      }
      SmiCards found = parse_smi_cards(output->output, columns_);
      // A lost card makes the program fail although it printed the others.
      if (output->exit_code != 0 && found.cards.empty()) {
        const std::string said = first_line(output->output + "\n" + output->errors);
        return failure(ErrorCode::kUnavailable,
                       fmt::format("nvidia-smi failed with {}: {}", output->exit_code,
                                   said.empty() ? "it said nothing" : said));
      }
      return found;
    }
  }

  Result<std::vector<SmiProcess>> read_processes() const {
    const auto chosen = chosen_cards();
    if (!chosen) return std::vector<SmiProcess>{};
    const auto output = query("compute-apps", smi_process_columns(), *chosen);
    if (!output) return failure(output.error());
    std::vector<SmiProcess> found = parse_smi_processes(output->output);
    if (output->exit_code != 0 && found.empty()) {
      return failure(ErrorCode::kUnavailable,
                     fmt::format("nvidia-smi failed with {}: {}", output->exit_code,
                                 first_line(output->output)));
    }
    return found;
  }

  const std::string program_;
  const Host host_;
  const Tree tree_;
  std::vector<std::string> columns_ = smi_card_columns();
  Kept<SmiCards> cards_;
  Kept<std::vector<SmiProcess>> processes_;
  mutable std::mutex mutex_;  // Of what follows.
  std::string driver_version_;
  std::map<std::string, CardIdentity> known_;  // By UUID.
};

}  // namespace

Probed probe_nvidia_smi(const Host& host) {
  const auto program = find_program("nvidia-smi", host.program_path);
  if (!program) return {nullptr, true, "there is no program nvidia-smi"};
  auto backend = std::make_unique<NvidiaSmi>(*program, host);
  std::vector<std::string> complaints;
  const auto cards = backend->cards(complaints);
  if (!cards) return {nullptr, false, cards.error().message};
  if (cards->empty()) {
    if (complaints.empty() || complaints.front().starts_with("No devices were found")) {
      return {nullptr, true, "nvidia-smi shows no card"};
    }
    return {nullptr, false, "nvidia-smi shows no card: " + complaints.front()};
  }
  return {std::move(backend), false, fmt::format("{} cards by {}", cards->size(), *program)};
}

}  // namespace gpusched::watch
