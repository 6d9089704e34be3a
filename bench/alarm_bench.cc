// What a look at the alarms costs in CPU time: 50 rules, 8 cards with processes, 10,000 jobs that
// wait. The daemon does this once a second. Prints p50, p99 and the most, of a quiet machine and of
// one on which everything is wrong.
// Usage: alarm_bench [JOBS [CARDS [RULES [LOOKS]]]]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/alarm/gather.h"
#include "core/alarm/look.h"
#include "core/apply/apply.h"
#include "core/state/state.h"

namespace gpusched {
namespace {

constexpr std::uint64_t kGiB = 1ULL << 30;

double thread_cpu_us() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

struct Sizes {
  int jobs = 10'000, cards = 8, rules = 50, looks = 2000;
};

State busy_machine(const Sizes& sizes, Now now) {
  State state({}, HostCapacity{64, 256 * kGiB});
  std::vector<Card> cards;
  for (int i = 0; i < sizes.cards; ++i) {
    cards.push_back({.number = CardNumber{static_cast<std::uint16_t>(i)},
                     .uuid = "GPU-" + std::to_string(i),
                     .model = "Bench 24G",
                     .vram_bytes = 24 * kGiB});
  }
  state.set_cards(std::move(cards));
  for (int i = 0; i < sizes.jobs; ++i) {
    auto spec = std::make_shared<JobSpec>();
    spec->argv = {"python", "train.py", std::to_string(i % 100)};
    spec->working_directory = "/";
    spec->environment = std::make_shared<Environment>();
    spec->needs.gpus = {1, 1};
    spec->needs.vram_bytes = static_cast<std::uint64_t>(1 + i % 20) * kGiB;
    SubmitAsked asked{.submission = static_cast<std::uint64_t>(i) + 1, .actor = ourselves()};
    asked.owner = {.uid = 1000U + static_cast<std::uint32_t>(i % 20), .gid = 0, .user = {}};
    asked.owner.user = asked.tenant = "ml" + std::to_string(i % 20);
    asked.spec = std::move(spec);
    asked.tasks.resize(1);
    apply(state, asked, now);
  }
  return state;
}

void look_at_cards(State& state, bool wrong, Now now) {
  for (const Card& card : state.cards()) {
    CardView view{.condition = CardCondition::kOk, .at = now};
    view.used_bytes = 10 * kGiB;
    view.vitals.temperature_celsius = wrong ? 95 : 60;
    for (int pid = 1; pid <= 10; ++pid) {
      SeenProcess process;
      process.pid = 100 * number_of(card.number) + pid;
      process.vram_bytes = kGiB / (wrong ? 1 : 100);
      process.load_percent = 5;
      process.user = "ml1";
      view.processes.push_back(process);
    }
    state.observe(card.number, view);
  }
}

AlarmRules many_rules(int count) {
  AlarmRules rules;
  rules.receivers = {"ops"};
  for (std::size_t i = 0; rules.all.size() < static_cast<std::size_t>(count); ++i) {
    const AlarmKindRow& row = alarm_kinds()[i % (kAlarmKinds - 1)];
    rules.all.push_back(default_rule(row));
    rules.all.back().name += "-" + std::to_string(rules.all.size());
  }
  return rules;
}

void measure(const char* name, const Sizes& sizes, bool wrong) {
  Now now{Wall{Seconds{1'700'000'000}}, Boot{Seconds{1000}}};
  State state = busy_machine(sizes, now);
  const AlarmRules rules = many_rules(sizes.rules);
  AlarmMemory memory;
  std::map<AlarmKey, Alarm> alarms;
  const std::map<std::uint64_t, Silence> silences;
  std::vector<double> took;
  for (int i = 0; i < sizes.looks; ++i) {
    now.boot += Seconds{1};
    now.wall += Seconds{1};
    look_at_cards(state, wrong, now);
    const double begin = thread_cpu_us();
    AlarmFacts facts;
    gather_facts(state, facts, now);
    const AlarmChanges changes = look(rules, facts, memory, {alarms, silences}, now);
    took.push_back(thread_cpu_us() - begin);
    for (const Alarm& alarm : changes.put) alarms.insert_or_assign(alarm.key, alarm);
    for (const AlarmKey& key : changes.removed) alarms.erase(key);
  }
  std::ranges::sort(took);
  std::printf(
      "%-18s %5d jobs %2d cards %3zu rules %4zu alarms on: p50 %6.0f us, p99 %6.0f us, "
      "most %6.0f us\n",
      name, static_cast<int>(state.counts().queued), sizes.cards, rules.all.size(), alarms.size(),
      took[took.size() / 2], took[took.size() * 99 / 100], took.back());
}

}  // namespace
}  // namespace gpusched

int main(int argc, char** argv) {
  gpusched::Sizes sizes;
  int* const given[] = {&sizes.jobs, &sizes.cards, &sizes.rules, &sizes.looks};
  for (int i = 1; i < argc && i <= 4; ++i) *given[i - 1] = std::atoi(argv[i]);
  gpusched::measure("all is well", sizes, false);
  gpusched::measure("all is wrong", sizes, true);
  return 0;
}
