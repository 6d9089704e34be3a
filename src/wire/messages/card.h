// The cards and what is on them.
#pragma once

#include <map>

#include "base/time.h"
#include "watch/sample.h"
#include "wire/message.h"
#include "wire/messages/job.h"

namespace gpusched::wire {

struct Container {
  std::string kind, id, pod, group;

  static constexpr std::string_view kName = "Container";
  static constexpr auto fields() {
    return std::make_tuple(field("kind", &Container::kind), field("id", &Container::id, kMaybe),
                           field("pod", &Container::pod, kMaybe),
                           field("group", &Container::group, kMaybe));
  }
};

// A process that the driver lists on a card; it may end at any moment. The sampler's protocol has
// the same object, and its writer writes it (wire/sampler_lines.h).
struct Process {
  int pid = 0;
  std::string kind;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<double> busy_percent;
  std::optional<double> memory_busy_percent;
  std::string name;
  std::optional<std::uint32_t> uid;
  std::string user;
  std::string command;
  std::optional<Wall> started_at;
  std::optional<std::int64_t> started_boot_us;
  std::string evidence;
  std::optional<std::uint64_t> job;  // Absent: a foreign process.
  std::optional<int> attempt;
  std::optional<bool> alive;
  std::optional<Container> container;
  std::optional<Wall> idle_since;  // Holds memory and has not used the card since then.

  static constexpr std::string_view kName = "Process";
  static constexpr auto fields() {
    return std::make_tuple(
        field("pid", &Process::pid),
        field("kind", &Process::kind, {.words = "compute|graphics|mps"}),
        field("vram_bytes", &Process::vram_bytes, kMaybe),
        field("busy_percent", &Process::busy_percent, kMaybe),
        field("memory_busy_percent", &Process::memory_busy_percent, kMaybe),
        field("name", &Process::name, kMaybe), field("uid", &Process::uid, kMaybe),
        field("user", &Process::user, kMaybe), field("command", &Process::command, kMaybe),
        field("started_at", &Process::started_at, kMaybe),
        field("started_boot_us", &Process::started_boot_us, kMaybe),
        field("evidence", &Process::evidence, kMaybe), field("job", &Process::job, kMaybe),
        field("attempt", &Process::attempt, kMaybe), field("alive", &Process::alive, kMaybe),
        field("container", &Process::container, kMaybe),
        field("idle_since", &Process::idle_since, kMaybe));
  }
};

// A job or lease that was moved aside from a card, or is on its way out or back.
struct CardAside {
  std::uint64_t job = 0;
  std::string state;
  std::string mechanism;
  std::optional<Wall> since;
  std::uint64_t host_bytes = 0;  // In host RAM, of all its cards.
  bool idle = false;             // It did not use its cards.
  bool wanted = false;           // And wants them again.
  bool by_hand = false;

  static constexpr std::string_view kName = "CardAside";
  static constexpr auto fields() {
    return std::make_tuple(
        field("job", &CardAside::job), field("state", &CardAside::state, {.words = kJobStates}),
        field("mechanism", &CardAside::mechanism, {.words = kMechanisms}),
        field("since", &CardAside::since, kAlways), field("host_bytes", &CardAside::host_bytes),
        field("idle", &CardAside::idle), field("wanted", &CardAside::wanted),
        field("by_hand", &CardAside::by_hand));
  }
};

struct MoveRate {
  std::uint64_t bytes_per_s = 0;
  double fixed_s = 0;
  std::uint64_t measured = 0;  // In so many moves; 0: it is what is usual.

  static constexpr std::string_view kName = "MoveRate";
  static constexpr auto fields() {
    return std::make_tuple(field("bytes_per_s", &MoveRate::bytes_per_s),
                           field("fixed_s", &MoveRate::fixed_s),
                           field("measured", &MoveRate::measured));
  }
};
struct MoveRates {
  MoveRate out, back;  // Of its memory, to host RAM and back.

  static constexpr std::string_view kName = "MoveRates";
  static constexpr auto fields() {
    return std::make_tuple(field("out", &MoveRates::out), field("back", &MoveRates::back));
  }
};

struct OthersOnCard {
  std::uint64_t jobs = 0;
  std::uint64_t vram_bytes = 0;

  static constexpr std::string_view kName = "OthersOnCard";
  static constexpr auto fields() {
    return std::make_tuple(field("jobs", &OthersOnCard::jobs),
                           field("vram_bytes", &OthersOnCard::vram_bytes));
  }
};
struct Card {
  int number = 0;
  std::string uuid;
  std::string model;
  std::uint64_t vram_bytes = 0;
  std::string alias;
  std::vector<std::string> tags;
  bool managed = true;
  std::uint64_t capacity_bytes = 0;
  std::optional<int> driver_index;
  std::optional<int> jobs_most;
  std::uint64_t reserved_bytes = 0;
  std::uint64_t held_vram_bytes = 0;
  int held_share_percent = 0;
  int load_percent = 0;
  std::optional<std::uint64_t> foreign_bytes;
  bool usable = true;
  std::string state;  // Empty: the daemon is older.
  std::optional<std::string> reason;
  std::optional<std::string> drained_by;
  std::optional<Wall> drained_at;
  std::optional<int> share_cap_percent;
  std::optional<std::string> share_cap_reason;
  bool moves = false;
  std::optional<MoveRates> move_rates;
  std::vector<std::uint64_t> jobs;
  std::optional<OthersOnCard> others;
  std::optional<std::vector<CardAside>> aside;
  std::optional<Wall> sampled_at;
  std::optional<watch::CardSample> sample;
  std::optional<std::vector<Process>> processes;

  static constexpr std::string_view kName = "Card";
  static constexpr auto fields() {
    return std::make_tuple(
        field("number", &Card::number), field("uuid", &Card::uuid), field("model", &Card::model),
        field("vram_bytes", &Card::vram_bytes), field("alias", &Card::alias, kOrNull),
        field("tags", &Card::tags), field("managed", &Card::managed, {.what = "gpusched uses it"}),
        field("capacity_bytes", &Card::capacity_bytes, {.what = "what jobs may have of it"}),
        field("driver_index", &Card::driver_index, kMaybe),
        field("jobs_most", &Card::jobs_most, kMaybe),
        field("reserved_bytes", &Card::reserved_bytes, {.what = "taken by the driver itself"}),
        field("held_vram_bytes", &Card::held_vram_bytes),
        field("held_share_percent", &Card::held_share_percent),
        field("load_percent", &Card::load_percent,
              {.what = "what admission counts as used of its compute"}),
        field("foreign_bytes", &Card::foreign_bytes,
              {.always = true, .what = "VRAM of processes that are not jobs"}),
        field("usable", &Card::usable),
        field("state", &Card::state, {.words = "ok|unknown|asleep|gone|drained|ignored"}),
        field("reason", &Card::reason, {.maybe = true, .what = "why it is not ok"}),
        field("drained_by", &Card::drained_by, kMaybe),
        field("drained_at", &Card::drained_at, kMaybe),
        field("share_cap_percent", &Card::share_cap_percent, kMaybe),
        field("share_cap_reason", &Card::share_cap_reason, kMaybe), field("moves", &Card::moves),
        field("move_rates", &Card::move_rates, kMaybe), field("jobs", &Card::jobs),
        field("others", &Card::others,
              {.maybe = true, .what = "jobs that are counted only (isolation.visibility)"}),
        field("aside", &Card::aside, kMaybe), field("sampled_at", &Card::sampled_at, kMaybe),
        field("sample", &Card::sample, kMaybe), field("processes", &Card::processes, kMaybe));
  }
};

struct Backend {
  std::string name;
  std::string driver_version;
  std::string trouble;  // Empty: it works.
  bool absent = false;

  static constexpr std::string_view kName = "Backend";
  static constexpr auto fields() {
    return std::make_tuple(field("name", &Backend::name),
                           field("driver_version", &Backend::driver_version),
                           field("trouble", &Backend::trouble), field("absent", &Backend::absent));
  }
};

struct Host {
  int cpus = 0;
  int cpus_held = 0;
  std::uint64_t ram_bytes = 0;
  std::uint64_t ram_held_bytes = 0;

  static constexpr std::string_view kName = "Host";
  static constexpr auto fields() {
    return std::make_tuple(field("cpus", &Host::cpus), field("cpus_held", &Host::cpus_held),
                           field("ram_bytes", &Host::ram_bytes),
                           field("ram_held_bytes", &Host::ram_held_bytes));
  }
};

struct Gpus {
  int schema = 1;
  std::string source;
  std::uint64_t missing = 0;  // Cards that the machine should have.
  std::optional<std::vector<Backend>> backends;
  std::vector<Card> cards;
  Host host;

  static constexpr std::string_view kName = "Cards";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Gpus::schema), field("source", &Gpus::source),
                           field("missing", &Gpus::missing),
                           field("backends", &Gpus::backends, kMaybe), field("cards", &Gpus::cards),
                           field("host", &Gpus::host));
  }
};

// The answer of drain and undrain.
struct Drained {
  int schema = 1;
  std::vector<Card> cards;
  bool dry_run = false;

  static constexpr std::string_view kName = "DrainedCards";
  static constexpr auto fields() {
    return std::make_tuple(field("schema", &Drained::schema), field("cards", &Drained::cards),
                           field("dry_run", &Drained::dry_run, kMaybe));
  }
};

struct DrainRequest {
  std::string reason;

  static constexpr std::string_view kName = "DrainRequest";
  static constexpr auto fields() {
    return std::make_tuple(field("reason", &DrainRequest::reason, {.most = 1000}));
  }
};

// What cards did over time, or the attempts of a job: names to values side by side.
struct HistoryLine {
  std::optional<int> number;  // Absent: no longer in the machine.
  std::string uuid;
  std::map<std::string, std::vector<std::optional<double>>, std::less<>> series;

  static constexpr std::string_view kName = "CardSeries";
  static constexpr auto fields() {
    return std::make_tuple(field("number", &HistoryLine::number), field("uuid", &HistoryLine::uuid),
                           field("series", &HistoryLine::series));
  }
};
struct CardHistory {
  int schema = 1;
  std::optional<Wall> from, to;
  std::int64_t step_s = 0;
  std::vector<HistoryLine> cards;

  static constexpr std::string_view kName = "CardHistory";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &CardHistory::schema), field("from", &CardHistory::from, kAlways),
        field("to", &CardHistory::to, kAlways), field("step_s", &CardHistory::step_s),
        field("cards", &CardHistory::cards));
  }
};
struct AttemptLine {
  int attempt = 0;
  std::map<std::string, std::vector<std::optional<double>>, std::less<>> series;

  static constexpr std::string_view kName = "AttemptSeries";
  static constexpr auto fields() {
    return std::make_tuple(field("attempt", &AttemptLine::attempt),
                           field("series", &AttemptLine::series));
  }
};
struct JobHistory {
  int schema = 1;
  std::uint64_t id = 0;
  std::optional<Wall> from, to;
  std::int64_t step_s = 0;
  std::vector<AttemptLine> attempts;

  static constexpr std::string_view kName = "JobHistory";
  static constexpr auto fields() {
    return std::make_tuple(
        field("schema", &JobHistory::schema), field("id", &JobHistory::id),
        field("from", &JobHistory::from, kAlways), field("to", &JobHistory::to, kAlways),
        field("step_s", &JobHistory::step_s), field("attempts", &JobHistory::attempts));
  }
};

}  // namespace gpusched::wire
