// The only file of the simulated driver that knows yaml-cpp; no exception of it leaves.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "simdriver/card_presets.h"
#include "simdriver/scenario.h"

namespace gpusched::simdriver {
namespace {

// Thrown and caught in this file.
struct Mistake {
  int line;
  std::string words;
};

// A mapping whose keys must all be known. Values are read by name; what was not read is unknown.
class Mapping {
 public:
  explicit Mapping(const YAML::Node& node) : node_(node) {
    if (!node_.IsMap()) complain(node_, "expected `key: value` pairs");
  }
  YAML::Node find(const std::string& key) {
    read_.push_back(key);
    return node_[key];
  }
  [[noreturn]] static void complain(const YAML::Node& node, const std::string& words) {
    throw Mistake{node.Mark().line + 1, words};
  }
  void text(const std::string& key, std::string& value) {
    if (const YAML::Node node = find(key)) value = scalar(key, node);
  }
  void fact(const std::string& key, bool& value) {
    const YAML::Node node = find(key);
    if (node && !YAML::convert<bool>::decode(node, value)) {
      complain(node, fmt::format("{}: expected true or false", key));
    }
  }
  void feature(const std::string& key, std::uint32_t& features, std::uint32_t bit) {
    bool has = (features & bit) != 0;
    fact(key, has);
    features = has ? features | bit : features & ~bit;
  }
  void size(const std::string& key, std::uint64_t& value) {
    const YAML::Node node = find(key);
    if (!node) return;
    const auto read = parse_size(scalar(key, node));
    if (!read) complain(node, fmt::format("{}: {}", key, read.error().message));
    value = *read;
  }
  // A whole number times `unit`.
  void number(const std::string& key, std::uint32_t& value, std::uint32_t unit = 1) {
    const YAML::Node node = find(key);
    if (!node) return;
    double read = 0;
    const double most = std::numeric_limits<std::int32_t>::max();
    if (!YAML::convert<double>::decode(node, read) || read < 0 || read * unit > most) {
      complain(node, fmt::format("{}: expected a number that is not negative", key));
    }
    value = static_cast<std::uint32_t>(std::lround(read * unit));
  }
  YAML::Node list(const std::string& key) {
    const YAML::Node node = find(key);
    if (node && !node.IsSequence()) complain(node, fmt::format("{}: expected a list", key));
    return node;
  }
  void finish() {
    for (const auto& pair : node_) {
      const std::string key = pair.first.Scalar();
      if (std::ranges::find(read_, key) != read_.end()) continue;
      complain(pair.first,
               fmt::format("there is no '{}' here; known are {}", key, fmt::join(read_, ", ")));
    }
  }

 private:
  static std::string scalar(const std::string& key, const YAML::Node& node) {
    if (!node.IsScalar()) complain(node, fmt::format("{}: expected one value", key));
    return node.Scalar();
  }

  YAML::Node node_;
  std::vector<std::string> read_;
};

std::uint32_t parse_cuda_version(const YAML::Node& node) {
  unsigned major = 0;
  unsigned minor = 0;
  if (std::sscanf(node.Scalar().c_str(), "%u.%u", &major, &minor) != 2 || major > 99 ||
      minor > 99) {
    Mapping::complain(node, "cuda: expected a version such as 13.0");
  }
  return major * 1000 + minor * 10;
}

std::uint32_t mib_of(const YAML::Node& at, std::uint64_t bytes) {
  const std::uint64_t mib = bytes >> 20;
  if (bytes != 0 && (mib == 0 || mib > 1U << 30)) {
    Mapping::complain(at, "expected at least 1 MiB per second");
  }
  return static_cast<std::uint32_t>(mib);
}

void read_checkpoint(const YAML::Node& node, Scenario& scenario) {
  Mapping map(node);
  std::uint64_t out = 0;
  std::uint64_t in = 0;
  map.size("out", out);
  map.size("in", in);
  map.number("fixed_ms", scenario.checkpoint_fixed_ms);
  map.size("host_ram", scenario.host_ram_bytes);
  map.finish();
  scenario.checkpoint_out_mib_s = mib_of(node, out);
  scenario.checkpoint_in_mib_s = mib_of(node, in);
}

void read_details(Mapping& map, CardFacts& facts) {
  if (const YAML::Node node = map.find("power")) {
    Mapping power(node);
    power.number("idle", facts.idle_mw, 1000);
    power.number("limit", facts.limit_mw, 1000);
    power.number("lowest_limit", facts.lowest_limit_mw, 1000);
    power.finish();
    if (facts.limit_mw < facts.idle_mw) Mapping::complain(node, "power: limit is below idle");
  }
  if (const YAML::Node node = map.find("temperature")) {
    Mapping temperature(node);
    temperature.number("ambient", facts.ambient_c);
    temperature.number("full_load", facts.full_load_c);
    temperature.number("slowdown", facts.slowdown_c);
    temperature.number("shutdown", facts.shutdown_c);
    temperature.finish();
    if (facts.full_load_c < facts.ambient_c) {
      Mapping::complain(node, "temperature: full_load is below ambient");
    }
  }
  if (const YAML::Node node = map.find("clocks")) {
    Mapping clocks(node);
    clocks.number("idle", facts.idle_clock_mhz);
    clocks.number("core", facts.core_clock_mhz);
    clocks.number("memory", facts.memory_clock_mhz);
    clocks.finish();
  }
  if (const YAML::Node node = map.find("pcie")) {
    Mapping pcie(node);
    pcie.number("generation", facts.pcie_generation);
    pcie.number("width", facts.pcie_width);
    pcie.finish();
  }
}

// "mesh": links end at the other cards of this entry; "switch": at switches between them.
void read_nvlink(const YAML::Node& node, CardFacts& facts) {
  Mapping map(node);
  std::string to = "mesh";
  map.number("links", facts.nvlink_links);
  map.text("to", to);
  map.finish();
  if (to != "mesh" && to != "switch") Mapping::complain(node, "to: expected mesh or switch");
  if (to == "switch") facts.features |= kNvlinkSwitched;
  if (facts.nvlink_links > 18) Mapping::complain(node, "links: at most 18");
}

void add_cards(const YAML::Node& node, Scenario& scenario) {
  Mapping map(node);
  std::uint32_t count = 1;
  std::string model = "Simulated card";
  std::string seed = scenario.name;
  std::string uuid;
  map.number("count", count);
  map.text("model", model);
  map.text("uuid_seed", seed);
  map.text("uuid", uuid);
  const std::size_t first = scenario.cards.size();
  if (count == 0 || first + count > kCardsMost) {
    Mapping::complain(node, fmt::format("count: between 1 and {} cards in all", kCardsMost));
  }
  if (!uuid.empty() && count != 1) Mapping::complain(node, "uuid: only for one card");
  CardFacts facts = preset_of(model);
  set_model(facts, model);
  map.size("vram", facts.vram_bytes);
  map.size("reserved", facts.reserved_bytes);
  map.size("context", facts.context_bytes);
  if (facts.vram_bytes <= facts.reserved_bytes) {
    Mapping::complain(node, "vram: a size above what is reserved is needed");
  }
  map.feature("ecc", facts.features, kHasEcc);
  map.feature("gpm", facts.features, kHasGpm);
  map.feature("fan", facts.features, kHasFan);
  map.feature("display", facts.features, kHasDisplay);
  map.feature("mig", facts.features, kHasMig);
  map.feature("row_remapping", facts.features, kHasRowRemapping);
  read_details(map, facts);
  if (const YAML::Node nvlink = map.find("nvlink")) read_nvlink(nvlink, facts);
  map.finish();
  for (std::size_t number = first; number < first + count; ++number) {
    set_place(facts, number);
    if (uuid.empty()) {
      set_uuid(facts, seed, number);
    } else if (!set_uuid_text(facts, uuid)) {
      Mapping::complain(node, "uuid: expected GPU- and 32 hexadecimal digits");
    }
    facts.nvlink_peers = 0;
    for (std::size_t peer = first; facts.nvlink_links > 0 && peer < first + count; ++peer) {
      if (peer != number) facts.nvlink_peers |= std::uint64_t{1} << peer;
    }
    scenario.cards.push_back(facts);
  }
}

void add_process(const YAML::Node& node, Scenario& scenario) {
  Mapping map(node);
  ScenarioProcess process;
  std::string kind = "compute";
  std::uint32_t card = 0;
  std::uint32_t pid = 0;
  map.number("pid", pid);
  map.number("card", card);
  map.text("kind", kind);
  map.text("name", process.name);
  map.text("user", process.user);
  map.size("vram", process.vram_bytes);
  map.number("util", process.busy_permille, 10);
  map.finish();
  if (card >= scenario.cards.size()) Mapping::complain(node, "card: there is no such card");
  if (kind == "graphics") {
    process.kind = ProcessKind::kGraphics;
  } else if (kind == "mps") {
    process.kind = ProcessKind::kMps;
  } else if (kind != "compute") {
    Mapping::complain(node, "kind: expected compute, graphics or mps");
  }
  if (process.busy_permille > 1000) Mapping::complain(node, "util: at most 100");
  if (scenario.processes.size() == kForeignMost) Mapping::complain(node, "too many processes");
  process.pid = static_cast<int>(pid);
  process.card = card;
  scenario.processes.push_back(process);
}

Scenario read_document(const YAML::Node& root) {
  Mapping map(root);
  Scenario scenario;
  map.text("name", scenario.name);
  if (scenario.name.empty() || scenario.name.size() >= kNameMost) {
    Mapping::complain(root, "name: a scenario has a name of at most 63 bytes");
  }
  map.text("driver", scenario.driver_version);
  if (scenario.driver_version.empty() || scenario.driver_version.size() > 30) {
    Mapping::complain(root, "driver: expected a version such as 580.159.04");
  }
  if (const YAML::Node node = map.find("cuda")) scenario.cuda_version = parse_cuda_version(node);
  map.fact("persistence", scenario.persistence);
  map.fact("accounting", scenario.accounting);
  map.fact("old_process_stride", scenario.old_process_stride);
  if (const YAML::Node node = map.find("checkpoint")) read_checkpoint(node, scenario);
  for (const YAML::Node& node : map.list("missing")) {
    scenario.missing_functions.push_back(node.Scalar());
  }
  for (const YAML::Node& node : map.list("cards")) add_cards(node, scenario);
  if (scenario.cards.empty()) Mapping::complain(root, "cards: at least one is needed");
  for (const YAML::Node& node : map.list("processes")) add_process(node, scenario);
  map.finish();
  return scenario;
}

}  // namespace

Result<Scenario> read_scenario(const std::string& text, const std::string& source) {
  const auto bad = [&source](int line, const std::string& words) {
    return failure(ErrorCode::kInvalid, fmt::format("{}:{}: {}", source, line, words));
  };
  try {
    return read_document(YAML::Load(text));
  } catch (const Mistake& mistake) {
    return bad(mistake.line, mistake.words);
  } catch (const YAML::Exception& error) {
    return bad(error.mark.line + 1, error.msg);
  }
}

}  // namespace gpusched::simdriver
