// Reads what `nvidia-smi --query-… --format=csv,noheader,nounits` prints. Pure: any bytes are rows
// or complaints. A column in brackets ("[N/A]", "[Not Supported]", "[Unknown Error]") is absent.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "watch/sample.h"

namespace gpusched::watch {

// The columns asked for. "name" stands last: it is the one that may contain a comma.
std::vector<std::string> smi_card_columns();
// Those that every version has; enough to know the cards and their memory.
std::vector<std::string> smi_least_card_columns();
// Without names: a process chooses its own, and one with a line break in it would make up rows.
std::vector<std::string> smi_process_columns();

struct SmiCard {
  CardIdentity identity;
  CardSample sample;
  std::string driver_version;
};
struct SmiCards {
  std::vector<SmiCard> cards;           // In PCI order, each UUID once.
  std::vector<std::string> complaints;  // Lines that are no card, as the program printed them.
};
SmiCards parse_smi_cards(std::string_view text, const std::vector<std::string>& columns);

struct SmiProcess {
  std::string card_uuid;  // Of the card, also where the row names a MIG instance; may be empty.
  std::string pci;        // May be empty.
  ProcessSample process;
};
// Rows of the same process on the same card (one per MIG instance) are added up.
std::vector<SmiProcess> parse_smi_processes(std::string_view text);

// The column that this version does not know, by its own words; empty: that is not what it said.
std::string unknown_column(std::string_view text);

// What a column was called before; empty: it never had another name.
std::string older_column(std::string_view column);

// The fields of one line; a field may be quoted, with "" for a quote inside.
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace gpusched::watch
