// Any bytes are rows or complaints, and no row says what cannot be.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

#include "base/check.h"
#include "watch/nvidia_smi_text.h"

using namespace gpusched::watch;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& columns : {smi_card_columns(), smi_least_card_columns()}) {
    const SmiCards read = parse_smi_cards(text, columns);
    std::set<std::string> uuids;
    for (const SmiCard& card : read.cards) {
      CHECK(uuids.insert(card.identity.uuid).second);
      const CardSample& sample = card.sample;
      if (sample.busy_percent) CHECK(*sample.busy_percent >= 0 && *sample.busy_percent <= 100);
      if (sample.vram_bytes && sample.used_bytes) {
        CHECK(*sample.used_bytes + sample.reserved_bytes.value_or(0) <= *sample.vram_bytes);
      }
    }
  }
  for (const SmiProcess& row : parse_smi_processes(text)) CHECK(row.process.pid > 0);
  (void)unknown_column(text);
  return 0;
}
