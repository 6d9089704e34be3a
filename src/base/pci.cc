#include "base/pci.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched {

std::string kernel_pci(std::string_view pci) {
  constexpr std::size_t kDigitsLeast = 4;
  std::string text = lower_case(pci);
  const std::size_t domain = text.find(':');
  if (domain == std::string::npos || domain <= kDigitsLeast) return text;
  text.erase(0, std::min(text.find_first_not_of('0'), domain - kDigitsLeast));
  return text;
}

}  // namespace gpusched
