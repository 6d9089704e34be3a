// Any bytes as the contents of each of the kernel's files that we read.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/pci.h"
#include "watch/drm_cards.h"
#include "watch/fdinfo.h"
#include "watch/kfd.h"
#include "watch/numbers.h"
#include "watch/nvidia_proc.h"
#include "watch/pci.h"

using namespace gpusched::watch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto client = parse_fdinfo(text)) {
    CHECK(!client->driver.empty());
    for (const auto& [name, use] : client->engines) CHECK(use.capacity > 0);
  }
  const std::string pci = normal_pci(text);
  if (!pci.empty()) {
    CHECK(normal_pci(pci) == pci);
    CHECK(normal_pci(gpusched::kernel_pci(pci)) == pci);
  }
  const KfdNode node = parse_kfd_properties(text);
  CHECK(node.pci.empty() || normal_pci(node.pci) == node.pci);
  const CardIdentity card = parse_nvidia_information(text);
  CHECK(card.uuid.find('?') == std::string::npos);
  (void)uevent_value(text, "DRIVER");
  (void)pci_name(text, "1002:744C");
  (void)pcie_generation(text);
  (void)whole_number(text);
  (void)hex_number(text);
  if (const auto number = decimal_number(text)) CHECK(std::isfinite(*number));
  return 0;
}
