#include "watch/hwmon.h"

#include <cmath>

#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

constexpr int kMostSensors = 16;

}  // namespace

Hwmon::Hwmon(const Tree& tree, const std::string& device) : tree_(tree) {
  for (const std::string& name : tree_.names(device + "/hwmon")) {
    if (!name.starts_with("hwmon")) continue;
    place_ = device + "/hwmon/" + name + "/";
    return;
  }
}

std::string Hwmon::sensor(std::string_view kind,
                          std::initializer_list<std::string_view> labels) const {
  if (place_.empty()) return {};
  for (const std::string_view label : labels) {
    for (int i = 1; i <= kMostSensors; ++i) {
      std::string name = std::string(kind) + std::to_string(i);
      if (tree_.word(place_ + name + "_label") == label) return name;
    }
  }
  return {};
}

std::optional<double> Hwmon::value(const std::string& name, double unit) const {
  if (place_.empty()) return std::nullopt;
  const auto text = tree_.word(place_ + name);
  const auto number = text ? decimal_number(*text) : std::nullopt;
  if (!number) return std::nullopt;
  return *number / unit;
}

std::optional<double> Hwmon::sane_temperature(const std::string& name) const {
  const auto degrees = value(name, 1e3);
  // Some drivers answer with nonsense while a card starts.
  return degrees && *degrees > -100 && *degrees < 250 ? degrees : std::nullopt;
}

std::optional<double> Hwmon::temperature(std::initializer_list<std::string_view> labels) const {
  const std::string name = sensor("temp", labels);
  return name.empty() ? std::nullopt : sane_temperature(name + "_input");
}

std::optional<double> Hwmon::critical_temperature(
    std::initializer_list<std::string_view> labels) const {
  const std::string name = sensor("temp", labels);
  return name.empty() ? std::nullopt : sane_temperature(name + "_crit");
}

std::optional<double> Hwmon::power_watts() const {
  auto watts = value("power1_average", 1e6);
  if (!watts) watts = value("power1_input", 1e6);
  return watts && *watts >= 0 ? watts : std::nullopt;
}

std::optional<double> Hwmon::power_limit_watts() const {
  auto watts = value("power1_cap", 1e6);
  if (!watts) watts = value("power1_max", 1e6);
  // Zero stands for "no limit is set".
  return watts && *watts > 0 ? watts : std::nullopt;
}

std::optional<double> Hwmon::energy_joules() const {
  const auto joules = value("energy1_input", 1e6);
  return joules && *joules >= 0 ? joules : std::nullopt;
}

std::optional<int> Hwmon::fan_percent() const {
  const auto power = value("pwm1", 255);
  if (!power || *power < 0 || *power > 1) return std::nullopt;
  return static_cast<int>(std::lround(*power * 100));
}

std::optional<int> Hwmon::clock_mhz(std::string_view label) const {
  const std::string name = sensor("freq", {label});
  const auto mhz = name.empty() ? std::nullopt : value(name + "_input", 1e6);
  if (!mhz || *mhz < 0 || *mhz > 100'000) return std::nullopt;
  return static_cast<int>(std::lround(*mhz));
}

}  // namespace gpusched::watch
