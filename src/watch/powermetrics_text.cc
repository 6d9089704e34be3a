#include "watch/powermetrics_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "watch/numbers.h"
#include "watch/plist.h"

namespace gpusched::watch {
namespace {

constexpr std::size_t kLargestSample = 1024 * 1024;
constexpr std::string_view kEnd = "</plist>";

std::optional<double> number_at(const PlistValue& dict, std::string_view key) {
  const PlistValue* value = dict.find(key);
  return value != nullptr ? value->number() : std::nullopt;
}

// "freq_hz" is in MHz on Apple silicon, in spite of its name; elsewhere it means what it says.
std::optional<int> clock_mhz(std::optional<double> frequency) {
  if (!frequency || !(*frequency >= 0)) return std::nullopt;
  const double mhz = *frequency > 100'000 ? *frequency / 1e6 : *frequency;
  if (mhz > 100'000) return std::nullopt;
  return static_cast<int>(std::lround(mhz));
}

}  // namespace

Result<PowermetricsReading> parse_powermetrics(std::string_view plist) {
  const auto sample = parse_plist(plist);
  if (!sample) return failure(sample.error());
  const PlistValue* gpu = sample->find("gpu");
  if (gpu == nullptr || !std::holds_alternative<PlistValue::Dict>(gpu->value)) {
    return failure(ErrorCode::kInvalid, "powermetrics printed a sample without a GPU");
  }
  PowermetricsReading reading;
  const auto idle = number_at(*gpu, "idle_ratio");
  if (idle && *idle >= 0 && *idle <= 1) reading.busy_percent = percent_of(1 - *idle, 1);
  reading.core_clock_mhz = clock_mhz(number_at(*gpu, "freq_hz"));
  const auto energy_mj = number_at(*gpu, "gpu_energy");
  const auto elapsed_ns = number_at(*sample, "elapsed_ns");
  if (energy_mj && *energy_mj >= 0) {
    reading.energy_joules = *energy_mj / 1e3;
    if (elapsed_ns && *elapsed_ns > 0) {
      reading.power_watts = *reading.energy_joules / (*elapsed_ns / 1e9);
    }
  }
  const PlistValue* model = sample->find("hw_model");
  if (model != nullptr && model->text() != nullptr) reading.hardware_model = *model->text();
  return reading;
}

std::vector<std::string> PlistStream::take(std::string_view bytes) {
  std::vector<std::string> complete;
  while (!bytes.empty()) {
    // In pieces, so that a list that began long ago is not searched from its begin each time.
    const std::size_t mark = bytes.find('\0');
    const std::string_view piece = bytes.substr(0, mark);
    bytes = mark == std::string_view::npos ? std::string_view{} : bytes.substr(mark + 1);
    if (!dropping_) {
      const std::size_t from = pending_.size() - std::min(pending_.size(), kEnd.size());
      pending_ += piece;
      std::size_t end = pending_.find(kEnd, from);
      while (end != std::string::npos) {
        complete.push_back(std::string(trimmed(pending_.substr(0, end + kEnd.size()))));
        pending_.erase(0, end + kEnd.size());
        end = pending_.find(kEnd);
      }
      if (pending_.size() > kLargestSample) dropping_ = true;
    }
    if (mark != std::string_view::npos) dropping_ = false;
    if (mark != std::string_view::npos || dropping_) pending_.clear();
  }
  return complete;
}

}  // namespace gpusched::watch
