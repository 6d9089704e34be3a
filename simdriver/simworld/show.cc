#include "simdriver/simworld/show.h"

#include <fmt/format.h>

#include "base/text.h"
#include "json/json_writer.h"
#include "simdriver/card_model.h"
#include "simdriver/slots.h"

namespace gpusched::simdriver {
namespace {

constexpr const char* kKinds[] = {"compute", "graphics", "mps"};
constexpr const char* kStates[] = {"running", "locked", "checkpointed", "failed"};

std::string name_of(const World& world, const ProcessUse& process) {
  if (process.in_world_only) {
    for (const ForeignProcess& each : world.data().foreign) {
      if (each.used.load() != 0 && each.pid == process.pid) return each.name;
    }
  }
  std::string name;
  for_each_process(world, [&](std::size_t, const Slot& slot) {
    if (slot.pid.load() == process.pid) name = slot.name;
  });
  return name;
}

void write_process(JsonWriter& json, const World& world, const ProcessUse& process) {
  json.begin_object();
  json.key("pid").value(process.pid);
  json.key("kind").value(kKinds[static_cast<std::size_t>(process.kind)]);
  json.key("name").value(name_of(world, process));
  json.key("vram_bytes").value(process.vram_bytes);
  json.key("peak_bytes").value(process.peak_bytes);
  json.key("demand_percent").value(process.demand_permille / 10.0);
  json.key("busy_percent").value(process.busy_permille / 10.0);
  json.end_object();
}

void write_card(JsonWriter& json, const World& world, std::size_t card) {
  const CardFacts& facts = world.data().facts[card];
  const CardState& state = world.data().states[card];
  const CardReading reading = read_card(world, card);
  json.begin_object();
  json.key("number").value(card);
  json.key("uuid").value(facts.uuid);
  json.key("model").value(facts.model);
  json.key("lost").value(state.lost.load() != 0);
  json.key("vram_bytes").value(facts.vram_bytes);
  json.key("reserved_bytes").value(facts.reserved_bytes);
  json.key("used_bytes").value(reading.use.used_bytes);
  json.key("busy_percent").value(reading.busy_percent);
  json.key("power_watts").value(reading.power_mw / 1000.0);
  json.key("temperature_c").value(reading.temperature_c);
  json.key("processes").begin_array();
  for (const ProcessUse& process : reading.use.processes) write_process(json, world, process);
  json.end_array();
  json.end_object();
}

void write_clients(JsonWriter& json, const World& world) {
  json.key("cuda_processes").begin_array();
  for_each_process(world, [&](std::size_t number, const Slot& slot) {
    json.begin_object();
    json.key("slot").value(number);
    json.key("pid").value(slot.pid.load());
    json.key("name").value(slot.name);
    json.key("state").value(kStates[slot.process_state.load() & 3]);
    json.end_object();
  });
  json.end_array();
}

}  // namespace

std::string world_json(const World& world) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.key("schema").value(1);
  json.key("scenario").value(world.data().scenario);
  json.key("driver").value(world.data().driver_version);
  json.key("faults").value(world.data().fault_count.load());
  json.key("cards").begin_array();
  for (std::size_t card = 0; card < world.card_count(); ++card) write_card(json, world, card);
  json.end_array();
  write_clients(json, world);
  json.end_object();
  return text + "\n";
}

std::string show_world(const World& world) {
  std::string text =
      fmt::format("scenario {}, driver {}\n", world.data().scenario, world.data().driver_version);
  for (std::size_t card = 0; card < world.card_count(); ++card) {
    const CardFacts& facts = world.data().facts[card];
    const CardReading reading = read_card(world, card);
    text +=
        fmt::format("card {}  {}  {}  {} of {}  {} %  {} W  {} C{}\n", card, facts.model,
                    facts.uuid, format_size(reading.use.used_bytes), format_size(facts.vram_bytes),
                    reading.busy_percent, reading.power_mw / 1000, reading.temperature_c,
                    world.data().states[card].lost.load() != 0 ? "  lost" : "");
    for (const ProcessUse& process : reading.use.processes) {
      text += fmt::format("  pid {}  {}  {}  {}  {} %\n", process.pid,
                          kKinds[static_cast<std::size_t>(process.kind)], name_of(world, process),
                          format_size(process.vram_bytes), process.busy_permille / 10);
    }
  }
  for_each_process(world, [&](std::size_t, const Slot& slot) {
    const std::uint32_t state = slot.process_state.load();
    if (state == kRunning) return;
    text += fmt::format("pid {}  {}  is {}\n", slot.pid.load(), slot.name, kStates[state & 3]);
  });
  return text;
}

}  // namespace gpusched::simdriver
