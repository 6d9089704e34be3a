// A receiver that is a command of the administrator: it gets the message as JSON on its input and
// says by its exit code what became of it. It has the few rights of this program.
#pragma once

#include "base/time.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

// 0: delivered; 75: again; all else: refused, with the last line of its stderr. When the time is
// over its whole process group is killed.
DeliveryOutcome run_command(const Delivery& delivery, Boot deadline);

// "GPUSCHED_RULE=temperature" …: all of its environment.
std::vector<std::string> command_environment(const Delivery& delivery);

}  // namespace gpusched::notifier
