#include "watch/pci.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/pci.h"
#include "base/text.h"
#include "watch/numbers.h"

namespace gpusched::watch {
namespace {

bool is_hex(std::string_view text, std::size_t least, std::size_t most) {
  return text.size() >= least && text.size() <= most &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

}  // namespace

std::string normal_pci(std::string_view text) {
  std::string_view rest = trimmed(text);
  // Tools of old drivers leave the domain out.
  const std::string_view domain =
      std::ranges::count(rest, ':') == 2 ? take_until(rest, ':') : std::string_view{"0"};
  const std::string_view bus = take_until(rest, ':');
  const std::string_view device = take_until(rest, '.');
  if (!is_hex(domain, 1, 8) || !is_hex(bus, 2, 2) || !is_hex(device, 2, 2) || !is_hex(rest, 1, 1)) {
    return {};
  }
  return fmt::format("{:08X}:{:02X}:{:02X}.{:X}", *hex_number(domain), *hex_number(bus),
                     *hex_number(device), *hex_number(rest));
}

bool is_suspended(const Tree& tree, std::string_view pci) {
  if (pci.empty()) return false;
  const auto status = tree.word("sys/bus/pci/devices/" + kernel_pci(pci) + "/power/runtime_status");
  return status == "suspended" || status == "suspending";
}

}  // namespace gpusched::watch
