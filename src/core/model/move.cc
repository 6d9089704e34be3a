#include "core/model/move.h"

namespace gpusched {

const char* mechanism_name(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kFreeze:
      return "freeze";
    case Mechanism::kCooperative:
      return "cooperative";
    case Mechanism::kCheckpoint:
      return "checkpoint";
    case Mechanism::kRequeue:
      return "requeue";
  }
  return "?";
}

std::optional<Mechanism> mechanism_named(const std::string& name) {
  for (const Mechanism one :
       {Mechanism::kFreeze, Mechanism::kCooperative, Mechanism::kCheckpoint, Mechanism::kRequeue}) {
    if (name == mechanism_name(one)) return one;
  }
  return std::nullopt;
}

}  // namespace gpusched
