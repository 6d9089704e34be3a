// What the management library says of cards at this moment: free memory and who holds what. Fresh
// with every look, because room is decided on it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "nvml/calls.h"

namespace gpusched::mover {

struct CardUse {
  std::string uuid;
  std::uint64_t free_bytes = 0;
  bool mig = false;
  struct Process {
    int pid = 0;
    std::optional<std::uint64_t> bytes;  // Absent: the driver does not say.
    bool mps = false;
  };
  bool listed = false;  // Else nobody knows who is on it.
  std::vector<Process> processes;
};

class Cards {
 public:
  static Result<Cards> open();
  // All cards that answer.
  std::vector<CardUse> look() const;

 private:
  explicit Cards(std::shared_ptr<nvml::Library> library) : library_(std::move(library)) {}
  std::shared_ptr<nvml::Library> library_;
};

const CardUse* find_card(const std::vector<CardUse>& cards, const std::string& uuid);

}  // namespace gpusched::mover
