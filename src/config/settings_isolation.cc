// The settings that keep jobs and tenants apart.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "config/setting_kinds.h"

namespace gpusched {
namespace {

Setting device_filter_setting() {
  return {
      "isolation", "device_filter",
      "Whether a job can open the device nodes of its own cards only: auto (where the daemon is "
      "root and the kernel lets it), or off.",
      [](Config& config, const std::string& text) -> Result<void> {
        if (text != "auto" && text != "off") {
          return wrong(fmt::format("\"{}\" is not auto or off", text));
        }
        config.device_filter = text == "auto";
        return {};
      },
      [](const Config& config) { return std::string(config.device_filter ? "auto" : "off"); }};
}

struct VisibilityWord {
  std::string_view word;
  Visibility visibility;
  bool arguments;
};
constexpr std::array kVisibilityWords = {
    VisibilityWord{"arguments", Visibility::kAll, true},
    VisibilityWord{"all", Visibility::kAll, false},
    VisibilityWord{"counts", Visibility::kCounts, false},
    VisibilityWord{"own", Visibility::kOwn, false},
};

Setting visibility_setting() {
  return {
      "isolation", "visibility",
      "What users see of the jobs of others: arguments (the whole command, its directory and "
      "output files), all (who, which program, its state and needs), counts (only how many run "
      "and wait, and what they hold of the cards), or own (nothing but what the cards' use shows). "
      "Operators and administrators see all.",
      [](Config& config, const std::string& text) -> Result<void> {
        // What was called program is called all.
        const std::string_view word = text == "program" ? std::string_view("all") : text;
        const auto found = std::ranges::find(kVisibilityWords, word, &VisibilityWord::word);
        if (found == kVisibilityWords.end()) {
          return wrong(fmt::format("\"{}\" is not arguments, all, counts or own", text));
        }
        config.visibility = found->visibility;
        config.arguments_for_all = found->arguments;
        return {};
      },
      [](const Config& config) {
        const auto is_it = [&config](const VisibilityWord& one) {
          return one.visibility == config.visibility && one.arguments == config.arguments_for_all;
        };
        const auto found = std::ranges::find_if(kVisibilityWords, is_it);
        return std::string(found == kVisibilityWords.end() ? "all" : found->word);
      }};
}

Setting mps_setting() {
  return {"isolation", "mps",
          "Which jobs use their card through an MPS server of their user's: off, limits (those "
          "with a --share below 100 or a --vram-limit, which then bind), or all (every job on one "
          "card that does not want it alone). The driver cannot move such jobs to host RAM.",
          [](Config& config, const std::string& text) -> Result<void> {
            const auto use = read_mps_use(text);
            if (!use) return failure(use.error());
            config.rules.mps = *use;
            return {};
          },
          [](const Config& config) { return std::string(mps_use_name(config.rules.mps)); }};
}

}  // namespace

void add_isolation_settings(std::vector<Setting>& list) {
  const std::string in = "isolation";
  list.push_back(visibility_setting());
  list.push_back(device_filter_setting());
  list.push_back(mps_setting());
  list.push_back(absolute_path(in, "mps_control",
                               "The program that starts MPS servers. Empty: "
                               "nvidia-cuda-mps-control, where programs usually are.",
                               PLACE(mps.control), kLongestPath));
  list.push_back(duration(in, "mps_linger",
                          "How long an MPS server stays when the last of its jobs has ended.",
                          PLACE(mps.linger), Seconds{86400}));
}

}  // namespace gpusched
