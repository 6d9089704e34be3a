// The settings of moving jobs aside.
#include "config/setting_kinds.h"
#include "core/preempt/foreign_idle.h"

namespace gpusched {
namespace {

Setting foreign_setting(const std::string& in) {
  return {in, "foreign",
          "Foreign processes that are moved aside like jobs when they have sat idle for idle_after "
          "on memory that others wait for: programs separated by commas, each with or without its "
          "user, such as jupyter-lab, ml1:python3, ml2:*. Empty: none.",
          [](Config& config, const std::string& given) -> Result<void> {
            for (const ForeignRule& rule : foreign_rules_of(given)) {
              if (!rule.user.empty() && !rule.program.empty() &&
                  rule.program.find_first_of("/ :") == std::string::npos) {
                continue;
              }
              return wrong(fmt::format("\"{}:{}\" is not like python3, ml1:python3 or ml1:*",
                                       rule.user, rule.program));
            }
            config.idle_foreign = given;
            return {};
          },
          [](const Config& config) { return quoted(config.idle_foreign); }};
}

}  // namespace

void add_making_room_settings(std::vector<Setting>& list) {
  const std::string in = "making_room";
  list.push_back(number(in, "distance",
                        "A job may move others aside that are at least so many bands less "
                        "important (urgent, high, normal, low, idle).",
                        PLACE(rules.room.distance), {1, 4}));
  list.push_back(duration(in, "run_least",
                          "No job is moved aside that has computed for less than this.",
                          PLACE(rules.room.run_least), Seconds{30 * 86400}));
  list.push_back(duration(in, "cool_down",
                          "No job is moved aside again sooner than this after it came back.",
                          PLACE(rules.room.cool_down), Seconds{30 * 86400}));
  list.push_back(number(in, "moves_most", "No job is moved aside more often than this.",
                        PLACE(rules.room.moves_most), {0, 1'000'000}));
  list.push_back(duration(in, "aside_most",
                          "A job that has been aside for longer returns before anybody else "
                          "starts on its cards.",
                          PLACE(rules.room.aside_most), Seconds{365 * 86400}));
  list.push_back(on_or_off(in, "timeshare",
                           "Whether, inside a band, a job that has had little of the cards moves "
                           "one aside that has had much (levels of 2, 72, 800 … card-hours).",
                           PLACE(rules.room.timeshare)));
  list.push_back(duration(in, "idle_after",
                          "A job or lease that has held VRAM for so long without using its cards "
                          "is moved aside for whoever waits. 0: never.",
                          PLACE(rules.room.idle_after), Seconds{365 * 86400}));
  list.push_back(on_or_off(in, "return_on_use",
                           "Whether such a one lets those who wait go first until its process is "
                           "active again. Off: it returns like any other.",
                           PLACE(rules.room.return_on_use)));
  list.push_back(foreign_setting(in));
  list.push_back(on_or_off(in, "over_quota",
                           "Whether jobs of a tenant that holds more than its quota, because the "
                           "quota was lowered, are moved aside.",
                           PLACE(rules.room.over_quota)));
  list.push_back(size(in, "ram_reserve",
                      "Host RAM that is never filled with what jobs have on cards.",
                      PLACE(rules.room.ram_reserve_bytes), kAnySize));
}

}  // namespace gpusched
