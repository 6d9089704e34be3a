// Sensors of a card: what the kernel shows under DEVICE/hwmon/hwmonN. Which number stands for which
// sensor differs between drivers, so they are found by their labels.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "watch/tree.h"

namespace gpusched::watch {

class Hwmon {
 public:
  // REQUIRES: the card is awake, for reading a sensor wakes it.
  Hwmon(const Tree& tree, const std::string& device);

  // In °C; of the first of these labels that exists.
  std::optional<double> temperature(std::initializer_list<std::string_view> labels) const;
  // The limit of that sensor at which the card slows down.
  std::optional<double> critical_temperature(std::initializer_list<std::string_view> labels) const;
  std::optional<double> power_watts() const;
  std::optional<double> power_limit_watts() const;
  std::optional<double> energy_joules() const;  // Counter.
  std::optional<int> fan_percent() const;
  std::optional<int> clock_mhz(std::string_view label) const;

 private:
  // "temp2" for the label "junction"; empty: there is none.
  std::string sensor(std::string_view kind, std::initializer_list<std::string_view> labels) const;
  // The file's number divided by `unit`.
  std::optional<double> value(const std::string& name, double unit) const;
  std::optional<double> sane_temperature(const std::string& name) const;

  const Tree& tree_;
  std::string place_;  // With a slash at its end; empty: there are no sensors.
};

}  // namespace gpusched::watch
