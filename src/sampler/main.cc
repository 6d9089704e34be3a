// gpusched-sampler: the only program that loads GPU driver libraries. Prints one line per card,
//   number=0 uuid=GPU-… vram_bytes=… reserved_bytes=… pci=00000000:3B:00.0 model=NVIDIA …
// in PCI order; a field that is unknown is left out. What is wrong goes to stderr.
// Exit codes: 0 cards were printed, 3 there is no driver or no card, 1 the driver has a problem.
#include <cstdio>
#include <string>
#include <vector>

#include "sampler/nvml_library.h"

namespace gpusched {
namespace {

constexpr int kNoCards = 3;

void complain(const std::string& sentence) {
  std::fprintf(stderr, "gpusched-sampler: %s\n", sentence.c_str());
}

std::string line_of(std::size_t number, const NvmlCard& card) {
  std::string line = "number=" + std::to_string(number) + " uuid=" + card.uuid;
  if (card.vram_bytes) line += " vram_bytes=" + std::to_string(*card.vram_bytes);
  if (card.reserved_bytes) line += " reserved_bytes=" + std::to_string(*card.reserved_bytes);
  if (!card.pci.empty()) line += " pci=" + card.pci;
  return line + " model=" + card.model;
}

int look_once() {
  NvmlTrouble trouble;
  const std::unique_ptr<NvmlLibrary> library = NvmlLibrary::open(trouble);
  if (library == nullptr) {
    complain(trouble.sentence);
    return trouble.no_cards ? kNoCards : 1;
  }
  std::vector<std::string> complaints;
  const std::vector<NvmlCard> cards = library->cards(complaints);
  for (const std::string& each : complaints) complain(each);
  if (cards.empty()) complain("the NVIDIA driver shows no card");
  bool printed = false;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    // A card that does not answer keeps its number: those behind it must not change theirs.
    if (cards[i].uuid.empty()) continue;
    std::puts(line_of(i, cards[i]).c_str());
    printed = true;
  }
  if (!printed) return complaints.empty() ? kNoCards : 1;
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gpusched

int main() { return gpusched::look_once(); }
