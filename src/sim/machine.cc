#include "sim/machine.h"

#include <fmt/format.h>

#include <charconv>

#include "base/text.h"
#include "engine/card_description.h"

namespace gpusched {

Result<MachineDescription> describe_machine(const std::string& cards, const std::string& cpus,
                                            const std::string& ram) {
  MachineDescription machine;
  auto list = parse_simulated_cards(cards);
  if (!list) return failure(list.error());
  machine.cards = std::move(*list);
  const auto read = std::from_chars(cpus.data(), cpus.data() + cpus.size(), machine.host.cpus);
  if (read.ec != std::errc{} || read.ptr != cpus.data() + cpus.size() || machine.host.cpus < 0) {
    return failure(ErrorCode::kInvalid, fmt::format("'{}' is not a number of CPUs", cpus));
  }
  const auto size = parse_size(ram);
  if (!size) return failure(size.error());
  machine.host.ram_bytes = *size;
  return machine;
}

}  // namespace gpusched
