#include "simdriver/scenario.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "engine/card_description.h"
#include "simdriver/card_presets.h"

namespace gpusched::simdriver {
namespace {

bool is_file(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode);
}

// FNV-1a.
class Digest {
 public:
  void add(const void* bytes, std::size_t size) {
    const auto* at = static_cast<const unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) hash_ = (hash_ ^ at[i]) * 1099511628211ULL;
  }
  void add(std::uint64_t number) { add(&number, sizeof number); }
  void add(const std::string& text) {
    add(text.size());
    add(text.data(), text.size());
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 14695981039346656037ULL;
};

}  // namespace

Result<Scenario> read_scenario_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return failure(ErrorCode::kNotFound,
                   fmt::format("read scenario {}: {}", path, std::strerror(errno)));
  }
  std::stringstream text;
  text << file.rdbuf();
  return read_scenario(text.str(), path);
}

Result<Scenario> describe_scenario(std::string_view words) {
  const auto cards = parse_simulated_cards(words);
  if (!cards) return failure(cards.error());
  if (words.size() >= kNameMost) {
    return failure(ErrorCode::kInvalid,
                   fmt::format("simulated cards '{}': write a scenario file instead", words));
  }
  Scenario scenario;
  scenario.name = words;
  for (std::size_t number = 0; number < cards->size(); ++number) {
    const Card& card = (*cards)[number];
    CardFacts facts = preset_of(card.model);
    set_model(facts, card.model);
    set_uuid_text(facts, card.uuid);
    set_place(facts, number);
    facts.vram_bytes = card.vram_bytes;
    scenario.cards.push_back(facts);
  }
  return scenario;
}

Result<Scenario> find_scenario(const std::string& wanted, const std::string& directory) {
  if (wanted.find('/') != std::string::npos) return read_scenario_file(wanted);
  const std::string installed = directory + "/" + wanted + ".yaml";
  if (!directory.empty() && is_file(installed)) return read_scenario_file(installed);
  auto described = describe_scenario(wanted);
  if (described) return described;
  return failure(
      described.error().code,
      fmt::format("{}; nor is there a scenario of that name{}", described.error().message,
                  directory.empty() ? std::string() : " in " + directory));
}

std::uint64_t digest_of(const Scenario& scenario) {
  Digest digest;
  digest.add(kLayoutVersion);
  digest.add(scenario.name);
  digest.add(scenario.driver_version);
  digest.add(scenario.cuda_version);
  digest.add((scenario.persistence ? 1U : 0U) | (scenario.accounting ? 2U : 0U) |
             (scenario.old_process_stride ? 4U : 0U));
  digest.add(scenario.checkpoint_out_mib_s);
  digest.add(scenario.checkpoint_in_mib_s);
  digest.add(scenario.checkpoint_fixed_ms);
  digest.add(scenario.host_ram_bytes);
  for (const std::string& name : scenario.missing_functions) digest.add(name);
  for (const CardFacts& facts : scenario.cards) digest.add(&facts, sizeof facts);
  for (const ScenarioProcess& process : scenario.processes) {
    digest.add(static_cast<std::uint64_t>(process.pid));
    digest.add(process.card);
    digest.add(static_cast<std::uint64_t>(process.kind));
    digest.add(process.name);
    digest.add(process.user);
    digest.add(process.vram_bytes);
    digest.add(process.busy_permille);
  }
  return digest.value();
}

}  // namespace gpusched::simdriver
