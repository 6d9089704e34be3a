#include "core/model/lack.h"

#include "base/check.h"

namespace gpusched {

const char* lack_name(Lack lack) {
  switch (lack) {
    case Lack::kNothing:
      return "nothing";
    case Lack::kUnusable:
      return "usable_card";
    case Lack::kSize:
      return "larger_card";
    case Lack::kVram:
      return "vram";
    case Lack::kCompute:
      return "compute";
    case Lack::kForeignLoad:
      return "foreign_load";
    case Lack::kTaken:
    case Lack::kEmptiness:
      return "empty_card";
    case Lack::kSharing:
      return "sharing";
    case Lack::kJobsMost:
      return "jobs_most";
    case Lack::kGrowth:
      return "growing_job";
  }
  CHECK(false);
}

}  // namespace gpusched
