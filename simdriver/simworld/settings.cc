#include "simdriver/simworld/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "simdriver/faults.h"
#include "simdriver/world_changes.h"

namespace gpusched::simdriver {
namespace {

constexpr std::uint64_t kEventSingleBit = 0x1;
constexpr std::uint64_t kEventDoubleBit = 0x2;
constexpr std::uint64_t kEventXid = 0x8;
constexpr std::uint64_t kEventUnavailable = 0x4000;
constexpr std::uint64_t kEventRecovery = 0x8000;
constexpr std::uint64_t kXidFellOffTheBus = 79;

// Where a value goes: one card, or the world itself.
struct Target {
  const World& world;
  std::int32_t card = kNoCard;

  CardState& state() const { return world.data().states[card]; }
};
using Change = std::function<void(const Target&)>;

enum class Scope { kCard, kWorld, kEither };

struct Setting {
  std::string_view key;
  Scope scope;
  std::string_view help;
  // What to do, or what is wrong with the value.
  Result<Change> (*read)(const std::string& value);
};

tl::unexpected<Error> bad(std::string words) {
  return failure(ErrorCode::kInvalid, std::move(words));
}

Result<std::uint64_t> read_number(const std::string& value) {
  const bool hex = value.starts_with("0x");
  std::uint64_t number = 0;
  const char* begin = value.data() + (hex ? 2 : 0);
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(begin, end, number, hex ? 16 : 10);
  if (read.ec != std::errc{} || read.ptr != end) return bad("expected a number");
  return number;
}

Result<bool> read_switch(const std::string& value) {
  if (value == "on") return true;
  if (value == "off") return false;
  return bad("expected on or off");
}

template <SharedU32 CardState::*field>
Result<Change> switch_card(const std::string& value) {
  const auto on = read_switch(value);
  if (!on) return failure(on.error());
  return [on = *on](const Target& target) { (target.state().*field).store(on ? 1 : 0); };
}

template <SharedU32 CardState::*field>
Result<Change> count_card(const std::string& value) {
  const auto number = read_number(value);
  if (!number) return failure(number.error());
  return [number = *number](const Target& target) {
    (target.state().*field).store(static_cast<std::uint32_t>(number));
  };
}

// A number that stands for what the model would say, or "auto".
template <SharedI32 CardState::*field, int unit>
Result<Change> by_hand(const std::string& value) {
  std::int32_t set = kAutomatic;
  if (value != "auto") {
    const auto number = read_number(value);
    if (!number) return bad("expected a number or auto");
    set = static_cast<std::int32_t>(*number) * unit;
  }
  return [set](const Target& target) { (target.state().*field).store(set); };
}

template <SharedU32 WorldData::*field>
Result<Change> count_world(const std::string& value) {
  const auto number = read_number(value);
  if (!number) return failure(number.error());
  return [number = *number](const Target& target) {
    (target.world.data().*field).store(static_cast<std::uint32_t>(number));
  };
}

void post(const Target& target, std::uint64_t type, std::uint64_t value) {
  post_event(target.world, static_cast<std::size_t>(target.card), type, value);
}

// Errors that end every program on the card, by the vendor's table.
bool ends_contexts(std::uint64_t xid) {
  constexpr std::array<std::uint64_t, 7> kFatal = {48, 64, 94, 95, 119, 120, 140};
  return std::ranges::find(kFatal, xid) != kFatal.end();
}

Result<Change> read_xid(const std::string& value) {
  const auto xid = read_number(value);
  if (!xid) return failure(xid.error());
  return [xid = *xid](const Target& target) {
    if (ends_contexts(xid)) target.state().broken_generation.fetch_add(1);
    post(target, kEventXid, xid);
  };
}

template <int type, std::uint64_t event>
Result<Change> read_ecc(const std::string& value) {
  const auto errors = read_number(value);
  if (!errors) return failure(errors.error());
  return [errors = *errors](const Target& target) {
    const std::uint64_t before = target.state().ecc[type][0].exchange(errors);
    if (errors <= before) return;
    target.state().ecc[type][1].fetch_add(errors - before);
    post(target, event, errors - before);
  };
}

Result<Change> read_lost(const std::string& value) {
  const auto lost = read_switch(value);
  if (!lost) return failure(lost.error());
  return [lost = *lost](const Target& target) {
    target.state().lost.store(lost ? 1 : 0);
    if (!lost) return;
    target.state().broken_generation.fetch_add(1);
    post(target, kEventXid, kXidFellOffTheBus);
    post(target, kEventUnavailable, 0);
  };
}

Result<Change> read_recovery(const std::string& value) {
  const auto action = read_number(value);
  if (!action || *action > 4) return bad("expected 0 none, 1 reset, 2 reboot, 3 or 4 drain");
  return [action = *action](const Target& target) {
    target.state().recovery_action.store(static_cast<std::uint32_t>(action));
    post(target, kEventRecovery, action);
  };
}

Result<Change> read_compute_mode(const std::string& value) {
  constexpr std::array<std::string_view, 4> kModes = {"default", "", "prohibited", "exclusive"};
  const auto* found = std::ranges::find(kModes, value);
  if (found == kModes.end() || value.empty()) {
    return bad("expected default, prohibited or exclusive");
  }
  return [mode = found - kModes.begin()](const Target& target) {
    target.state().compute_mode.store(static_cast<std::uint32_t>(mode));
  };
}

Result<Change> read_clock_reasons(const std::string& value) {
  const auto bits = read_number(value);
  if (!bits) return failure(bits.error());
  return [bits = *bits](const Target& target) { target.state().clock_reasons.store(bits); };
}

Result<Change> read_unlisted(const std::string& value) {
  const auto bytes = parse_size(value);
  if (!bytes) return failure(bytes.error());
  return [bytes = *bytes](const Target& target) { target.state().unlisted_bytes.store(bytes); };
}

Result<Change> read_host_ram(const std::string& value) {
  const auto bytes = parse_size(value);
  if (!bytes) return failure(bytes.error());
  return
      [bytes = *bytes](const Target& target) { target.world.data().host_ram_bytes.store(bytes); };
}

Result<Change> fault(FaultKind kind, const std::string& function, std::int32_t number) {
  if (function.empty() || function.size() >= kNameMost) return bad("expected a function or all");
  return [=](const Target& target) {
    add_fault(target.world, {kind, target.card, number, function});
  };
}

Result<Change> read_hang(const std::string& value) { return fault(FaultKind::kHang, value, 0); }
Result<Change> read_missing(const std::string& value) {
  return fault(FaultKind::kMissing, value, 0);
}

Result<Change> read_slow(const std::string& value) {
  const std::size_t colon = value.find(':');
  const auto wait = colon == std::string::npos ? Result<Seconds>(Seconds(2))
                                               : parse_duration(value.substr(colon + 1));
  if (!wait || wait->count() > 3600) return bad("expected FUNCTION:DURATION, such as all:2s");
  return fault(FaultKind::kSlow, value.substr(0, colon),
               static_cast<std::int32_t>(wait->count() * 1000));
}

Result<Change> read_return(const std::string& value) {
  const std::size_t colon = value.find(':');
  const auto code = read_number(colon == std::string::npos ? "" : value.substr(colon + 1));
  if (!code || *code == 0 || *code > 1000) return bad("expected FUNCTION:CODE, such as all:999");
  return fault(FaultKind::kReturn, value.substr(0, colon), static_cast<std::int32_t>(*code));
}

Result<Change> read_clear(const std::string& value) {
  if (value != "faults") return bad("expected faults");
  return [](const Target& target) { clear_faults(target.world, target.card); };
}

Result<Change> read_driver(const std::string& value) {
  const bool restarted = value == "restart";
  if (!restarted && (value.empty() || value[0] < '0' || value[0] > '9' || value.size() > 30)) {
    return bad("expected restart, or the version that it was updated to");
  }
  return [=](const Target& target) {
    if (!restarted) set_driver_version(target.world.data(), value);
    target.world.data().driver_generation.fetch_add(1);
  };
}

Result<Change> read_stride(const std::string& value) {
  const auto on = read_switch(value);
  if (!on) return failure(on.error());
  return [on = *on](const Target& target) {
    target.world.data().old_process_stride.store(on ? 1 : 0);
  };
}

const std::array kSettings = {
    Setting{"xid", Scope::kCard, "N: an XID event", read_xid},
    Setting{"lost", Scope::kCard, "on, off: fallen off the bus", read_lost},
    Setting{"ecc_corrected", Scope::kCard, "N: corrected errors since the driver was loaded",
            read_ecc<0, kEventSingleBit>},
    Setting{"ecc_uncorrected", Scope::kCard, "N: uncorrected ones", read_ecc<1, kEventDoubleBit>},
    Setting{"rows_pending", Scope::kCard, "on, off: rows will be remapped at the next reset",
            switch_card<&CardState::rows_pending>},
    Setting{"rows_failed", Scope::kCard, "on, off: remapping failed",
            switch_card<&CardState::rows_failed>},
    Setting{"remapped_uncorrected", Scope::kCard, "N: rows remapped for uncorrected errors",
            count_card<&CardState::remapped_uncorrected>},
    Setting{"recovery", Scope::kCard, "0..4: what the driver asks for", read_recovery},
    Setting{"util", Scope::kCard, "PERCENT, auto", by_hand<&CardState::busy_percent, 1>},
    Setting{"memory_util", Scope::kCard, "PERCENT, auto",
            by_hand<&CardState::memory_busy_percent, 1>},
    Setting{"temperature", Scope::kCard, "CELSIUS, auto", by_hand<&CardState::temperature_c, 1>},
    Setting{"power", Scope::kCard, "WATTS, auto", by_hand<&CardState::power_mw, 1000>},
    Setting{"clock_reasons", Scope::kCard, "BITS: added to those of the model", read_clock_reasons},
    Setting{"unlisted", Scope::kCard, "SIZE: memory held by no listed process", read_unlisted},
    Setting{"mig", Scope::kCard, "on, off", switch_card<&CardState::mig>},
    Setting{"persistence", Scope::kCard, "on, off", switch_card<&CardState::persistence>},
    Setting{"accounting", Scope::kCard, "on, off", switch_card<&CardState::accounting>},
    Setting{"compute_mode", Scope::kCard, "default, prohibited, exclusive", read_compute_mode},
    Setting{"hang", Scope::kEither, "FUNCTION, all: calls that do not return until cleared",
            read_hang},
    Setting{"slow", Scope::kEither, "FUNCTION:DURATION", read_slow},
    Setting{"return", Scope::kEither, "FUNCTION:CODE", read_return},
    Setting{"clear", Scope::kEither, "faults: hang, slow, return and missing end", read_clear},
    Setting{"missing", Scope::kWorld, "FUNCTION: this driver does not have it", read_missing},
    Setting{"driver", Scope::kWorld, "restart, or the version it was updated to", read_driver},
    Setting{"old_process_stride", Scope::kWorld, "on, off: long entries, as drivers 535.43 had",
            read_stride},
    Setting{"checkpoint_out", Scope::kWorld, "MIB_S, 0: at once",
            count_world<&WorldData::checkpoint_out_mib_s>},
    Setting{"checkpoint_in", Scope::kWorld, "MIB_S, 0: at once",
            count_world<&WorldData::checkpoint_in_mib_s>},
    Setting{"checkpoint_fixed_ms", Scope::kWorld, "N: added to every move",
            count_world<&WorldData::checkpoint_fixed_ms>},
    Setting{"host_ram", Scope::kWorld, "SIZE that checkpoints may fill, 0: no limit",
            read_host_ram},
};

struct Word {
  std::string key, value;
};

Result<Word> split(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    return bad(fmt::format("'{}': expected KEY=VALUE", word));
  }
  return Word{word.substr(0, equals), word.substr(equals + 1)};
}

Result<std::vector<std::int32_t>> read_cards(const World& world, const std::string& value) {
  std::vector<std::int32_t> cards;
  const auto count = static_cast<std::int32_t>(world.card_count());
  if (value == "all") {
    for (std::int32_t card = 0; card < count; ++card) cards.push_back(card);
    return cards;
  }
  const auto number = read_number(value);
  if (!number || *number >= world.card_count()) {
    return bad(fmt::format("card={}: there are cards 0 to {}", value, count - 1));
  }
  cards.push_back(static_cast<std::int32_t>(*number));
  return cards;
}

}  // namespace

Result<void> apply_settings(const World& world, const std::vector<std::string>& words) {
  std::vector<std::int32_t> cards;
  std::vector<std::pair<std::int32_t, Change>> changes;
  for (const std::string& each : words) {
    const auto word = split(each);
    if (!word) return failure(word.error());
    if (word->key == "card") {
      auto chosen = read_cards(world, word->value);
      if (!chosen) return failure(chosen.error());
      cards = std::move(*chosen);
      continue;
    }
    const auto* setting = std::ranges::find(kSettings, word->key, &Setting::key);
    if (setting == kSettings.end()) {
      return bad(fmt::format("'{}': there is no such key; see --help", each));
    }
    if (setting->scope == Scope::kCard && cards.empty()) {
      return bad(fmt::format("'{}': say card=N before it", each));
    }
    const auto change = setting->read(word->value);
    if (!change) return bad(fmt::format("'{}': {}", each, change.error().message));
    if (setting->scope == Scope::kWorld || cards.empty()) changes.emplace_back(kNoCard, *change);
    if (setting->scope == Scope::kWorld) continue;
    for (const std::int32_t card : cards) changes.emplace_back(card, *change);
  }
  const ChangeLock lock(world);
  for (const auto& [card, change] : changes) change({world, card});
  announce_change(world);
  return {};
}

Result<ScenarioProcess> parse_process(const std::vector<std::string>& words) {
  ScenarioProcess process;
  for (const std::string& each : words) {
    const auto word = split(each);
    if (!word) return failure(word.error());
    const auto number = read_number(word->value);
    const auto size = parse_size(word->value);
    if (word->key == "card" && number) {
      process.card = *number;
    } else if (word->key == "pid" && number && *number <= 4194304) {
      process.pid = static_cast<int>(*number);
    } else if (word->key == "vram" && size) {
      process.vram_bytes = *size;
    } else if (word->key == "util" && number && *number <= 100) {
      process.busy_permille = static_cast<std::uint32_t>(*number * 10);
    } else if (word->key == "name") {
      process.name = word->value;
    } else if (word->key == "user") {
      process.user = word->value;
    } else if (word->key == "kind" && word->value == "compute") {
      process.kind = ProcessKind::kCompute;
    } else if (word->key == "kind" && word->value == "graphics") {
      process.kind = ProcessKind::kGraphics;
    } else if (word->key == "kind" && word->value == "mps") {
      process.kind = ProcessKind::kMps;
    } else {
      return bad(
          fmt::format("'{}': expected card=N, pid=N, vram=SIZE, util=PERCENT, name=TEXT, "
                      "user=TEXT or kind=compute|graphics|mps",
                      each));
    }
  }
  return process;
}

std::string settings_help() {
  std::string text;
  for (const Setting& setting : kSettings) {
    text += fmt::format("  {:<22}{}\n", std::string(setting.key) + "=", setting.help);
  }
  return text;
}

}  // namespace gpusched::simdriver
