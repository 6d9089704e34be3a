// What is asked about one card. A driver or card that does not have something says so once; it is
// not asked again. An answer that means trouble (lost, reset required, driver replaced) ends the
// round: nothing else about this card is worth asking then, and each call may block.
#pragma once

#include <bitset>
#include <optional>

#include "nvml/calls.h"

namespace gpusched::nvml {

enum class Question {
  kMemory2,
  kMemory1,
  kUtilization,
  kPower,
  kPowerLimit,
  kEnergy,
  kTemperature,
  kSlowdown,
  kFan,
  kCoreClock,
  kMemoryClock,
  kReasons,
  kOlderReasons,
  kFields,
  kMemoryTemperature,
  kRecovery,
  kEccCorrected,
  kEccUncorrected,
  kRows,
  kPcieGeneration,
  kPcieWidth,
  kPcieSent,
  kPcieReceived,
  kMig,
  kComputeMode,
  kPersistence,
  kAccounting,
  kGpm,
  kDetailList,
  kProcessesUse,
  kProcessUse,
  kCount,
};

class Asking {
 public:
  explicit Asking(Device device) : device_(device) {}

  void begin_round() { trouble_.reset(); }
  std::optional<int> trouble() const { return trouble_; }
  bool knows(Question question) const { return !missing_.test(index(question)); }

  // True: the answer is there.
  template <class... Parameters, class... Arguments>
  bool ask(Question question, int (*function)(Device, Parameters...), Arguments... arguments) {
    return ask_for_code(question, function, arguments...) == kSuccess;
  }
  // The driver's code; kNotSupported without a call where that is known.
  template <class... Parameters, class... Arguments>
  int ask_for_code(Question question, int (*function)(Device, Parameters...),
                   Arguments... arguments) {
    if (trouble_) return *trouble_;
    if (function == nullptr || !knows(question)) return kNotSupported;
    const int code = function(device_, arguments...);
    note(question, code);
    return code;
  }
  void note(Question question, int code) {
    if (is_trouble(code)) trouble_ = code;
    if (is_missing(code)) missing_.set(index(question));
  }
  Device device() const { return device_; }

 private:
  static std::size_t index(Question question) { return static_cast<std::size_t>(question); }

  Device device_;
  std::optional<int> trouble_;
  std::bitset<static_cast<std::size_t>(Question::kCount)> missing_;
};

}  // namespace gpusched::nvml
