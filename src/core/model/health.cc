#include "core/model/health.h"

#include <algorithm>
#include <array>

namespace gpusched {
namespace {

struct XidRow {
  std::uint16_t number;
  Consequence consequence;
  bool jobs_lost;
  const char* meaning;
  const char* advice;
};
constexpr auto kKeep = Consequence::kKeep;
constexpr auto kWarn = Consequence::kWarn;
constexpr auto kDrain = Consequence::kDrain;

// The vendor's catalogue as far as it matters here. A number that is not listed is a warning.
constexpr std::array kXids = {
    XidRow{8, kKeep, false, "the channel of a program timed out", ""},
    XidRow{11, kKeep, false, "a program sent an invalid command", ""},
    XidRow{13, kKeep, false, "a program raised an exception", ""},
    XidRow{25, kKeep, false, "a program sent an invalid command", ""},
    XidRow{31, kKeep, false, "a program touched memory that is not its own", ""},
    XidRow{32, kKeep, false, "a program sent a damaged command buffer", ""},
    XidRow{37, kKeep, false, "a driver message", ""},
    XidRow{38, kKeep, false, "a driver message", ""},
    XidRow{43, kKeep, false, "a program's channel was stopped", ""},
    XidRow{44, kKeep, false, "a driver message", ""},
    XidRow{45, kKeep, false, "channels were cleaned up after a program's end", ""},
    XidRow{46, kDrain, true, "the card stopped answering", "reset the card"},
    XidRow{48, kDrain, true, "a memory error that could not be corrected", "reset the card"},
    XidRow{62, kDrain, true, "the card's microcontroller halted", "reset the card"},
    XidRow{63, kWarn, false, "a damaged row of memory was replaced", "reset the card when idle"},
    XidRow{64, kDrain, true, "a damaged row of memory could not be replaced", "reset the card"},
    XidRow{68, kKeep, false, "a program raised an exception", ""},
    XidRow{69, kKeep, false, "a program raised an exception", ""},
    XidRow{74, kDrain, false, "an NVLink error", "reset the card"},
    XidRow{79, kDrain, true, "the card fell off the bus", "reboot"},
    XidRow{92, kWarn, false, "many corrected memory errors", ""},
    XidRow{94, kWarn, false, "a contained memory error ended the program that met it",
           "reset the card when idle"},
    XidRow{95, kDrain, true, "an uncontained memory error", "reset the card"},
    XidRow{109, kDrain, true, "a context switch timed out", "reset the card"},
    XidRow{110, kDrain, true, "a security fault", "reset the card"},
    XidRow{119, kDrain, true, "the card's firmware does not answer", "reset the card or reboot"},
    XidRow{120, kDrain, true, "an error in the card's firmware", "reset the card or reboot"},
    XidRow{136, kDrain, true, "a link training failure", "reset the card"},
    XidRow{140, kDrain, true, "a memory error that was not recovered", "reset the card"},
    XidRow{143, kDrain, true, "the card could not be initialised", "reset the card"},
    XidRow{154, kWarn, false, "the driver asks for a recovery", "see nvidia-smi -q"},
    XidRow{155, kDrain, true, "an NVLink software error", "reset the card"},
    XidRow{156, kDrain, true, "a resource was retired", "reset the card"},
    XidRow{158, kDrain, true, "a fatal time-out on the card", "reset the card"},
    XidRow{171, kDrain, true, "a memory error that could not be corrected", "reset the card"},
    XidRow{172, kDrain, true, "a memory error that could not be corrected", "reset the card"},
};
static_assert(std::ranges::is_sorted(kXids, {}, &XidRow::number));

Verdict judge_xid(std::uint64_t number) {
  const auto row = std::ranges::find(kXids, number, &XidRow::number);
  const std::string name = "XID " + std::to_string(number);
  if (row == kXids.end()) return {kWarn, false, DrainEnd::kByHand, name, ""};
  const DrainEnd ends = number == 79 ? DrainEnd::kSeen : DrainEnd::kByHand;
  return {row->consequence, row->jobs_lost, ends, name + ", " + row->meaning, row->advice};
}

}  // namespace

Verdict judge(TroubleKind kind, std::uint64_t number) {
  switch (kind) {
    case TroubleKind::kXid:
      return judge_xid(number);
    case TroubleKind::kEccDouble:
      return {kDrain, true, DrainEnd::kByHand, "a memory error that could not be corrected",
              "reset the card"};
    case TroubleKind::kGone:
      return {kDrain, true, DrainEnd::kSeen, "the card fell off the bus", "reboot"};
    case TroubleKind::kUnavailable:
      return {kDrain, true, DrainEnd::kSeen, "the driver says that the card cannot be used",
              "reset the card"};
  }
  return {};
}

}  // namespace gpusched
