#include "watch/powermetrics.h"

#include <fmt/format.h>

#include <utility>

#include "watch/host_memory.h"
#include "watch/ioreg.h"

namespace gpusched::watch {
namespace {

class Powermetrics final : public Backend {
 public:
  Powermetrics(const std::string& program, const Host& host, const PowermetricsTiming& timing)
      : stream_(program, host, timing), registry_(probe_ioreg(host).backend) {
    if (registry_ == nullptr) memory_bytes_ = apple_memory_bytes(host);
  }

  std::string name() const override { return "powermetrics"; }

  Result<std::vector<CardIdentity>> cards(std::vector<std::string>& complaints) override {
    if (registry_ != nullptr) return registry_->cards(complaints);
    const auto latest = stream_.latest();
    if (!latest) return failure(latest.error());
    CardIdentity card;
    card.uuid = kUuid;
    card.vendor = Vendor::kApple;
    card.model = latest->reading.hardware_model.empty()
                     ? "Apple GPU"
                     : fmt::format("Apple GPU of {}", latest->reading.hardware_model);
    card.vram_bytes = memory_bytes_;
    card.integrated = true;
    return std::vector<CardIdentity>{card};
  }

  Result<CardSample> sample(const CardIdentity& card) override {
    if (card.uuid != kUuid) return not_there(card);
    CardSample sample;
    bool seen = false;
    if (registry_ != nullptr) {
      if (auto registered = registry_->sample(card)) {
        sample = *registered;
        seen = true;
      }
    } else {
      sample.vram_bytes = memory_bytes_;
    }
    const auto latest = stream_.latest();
    // Either source is enough for a sample; each leaves absent what the other would have known.
    if (!latest) return seen ? Result<CardSample>(sample) : failure(latest.error());
    if (latest->reading.busy_percent) sample.busy_percent = latest->reading.busy_percent;
    sample.power_watts = latest->reading.power_watts;
    sample.energy_joules = latest->energy_joules;
    sample.core_clock_mhz = latest->reading.core_clock_mhz;
    return sample;
  }

  Result<std::vector<ProcessSample>> processes(const CardIdentity& card) override {
    if (card.uuid != kUuid) return not_there(card);
    if (registry_ == nullptr) {
      return failure(ErrorCode::kUnsupported, "powermetrics does not list processes");
    }
    return registry_->processes(card);
  }

  Result<std::vector<CardEvent>> events(std::chrono::milliseconds) override {
    return std::vector<CardEvent>{};
  }

  Result<PowermetricsStream::Latest> latest() { return stream_.latest(); }

 private:
  static constexpr const char* kUuid = "apple-0";  // The same as by ioreg: it is the same card.

  static tl::unexpected<Error> not_there(const CardIdentity& card) {
    return failure(ErrorCode::kNotFound, fmt::format("{} is not this Mac's GPU", card.uuid));
  }

  PowermetricsStream stream_;
  std::unique_ptr<Backend> registry_;  // May be null.
  std::optional<std::uint64_t> memory_bytes_;
};

}  // namespace

Probed probe_powermetrics(const Host& host, const PowermetricsTiming& timing) {
  const auto program = find_program("powermetrics", host.program_path);
  if (!program) return {nullptr, true, "there is no program powermetrics: this is not macOS"};
  auto backend = std::make_unique<Powermetrics>(*program, host, timing);
  const auto first = backend->latest();
  if (!first) return {nullptr, false, first.error().message};
  return {std::move(backend), false, fmt::format("samples of the GPU by {}", *program)};
}

}  // namespace gpusched::watch
