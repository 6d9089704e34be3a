// The settings of reports: how long sums of work are kept, and what things cost.
#include "base/number.h"
#include "config/setting_kinds.h"

namespace gpusched {
namespace {

constexpr double kPriceMost = 1e9;
constexpr std::size_t kCurrencyMost = 16;

template <class Place>
Setting price(std::string key, std::string comment, Place place) {
  return {"report", std::move(key), std::move(comment),
          [place](Config& config, const std::string& text) -> Result<void> {
            double value = 0;
            if (!whole_number(text, value) || !(value >= 0) || value > kPriceMost) {
              return wrong(fmt::format("\"{}\" is not a price such as 0.30", text));
            }
            place(config) = value;
            return {};
          },
          [place](const Config& config) { return fmt::format("{}", place(config)); }};
}

Setting currency() {
  return {"report", "currency", "What these prices are in.",
          [](Config& config, const std::string& text) -> Result<void> {
            const bool plain = text.find_first_of("\t\r\n\x1b") == std::string::npos;
            if (text.empty() || text.size() > kCurrencyMost || !plain || !is_utf8(text)) {
              return wrong(fmt::format("a currency is a word of 1 to {} bytes", kCurrencyMost));
            }
            config.prices.currency = text;
            return {};
          },
          [](const Config& config) { return quoted(config.prices.currency); }};
}

}  // namespace

void add_report_settings(std::vector<Setting>& list) {
  const std::string in = "report";
  list.push_back(duration(in, "keep_daily",
                          "Reports are made of sums that stay when jobs are removed: day by day "
                          "for so long, then month by month.",
                          PLACE(rules.work_daily_for), 100 * kYear));
  list.push_back(duration(in, "keep", "How long such sums are kept in all. 0: nothing is counted.",
                          PLACE(rules.work_keep_for), 100 * kYear));
  list.push_back(price("price_per_kwh",
                       "What reports say that energy costs. 0 here and below: nothing is said.",
                       PLACE(prices.per_kwh)));
  list.push_back(price("price_per_gpu_hour", "And an hour of a card.", PLACE(prices.per_gpu_hour)));
  list.push_back(currency());
}

}  // namespace gpusched
