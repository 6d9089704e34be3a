// NVIDIA's management library, found at run time: no header and no link against it, so that one
// binary runs with any driver and without one. The prototypes are declared in nvml_library.cc,
// from the library's stable binary interface. Calls may block while a card is in trouble; that is
// why this lives in a program of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpusched {

// What the driver says about one card. Absent is unknown, never zero.
struct NvmlCard {
  std::string pci;   // "00000000:3B:00.0"; sorts in PCI order.
  std::string uuid;  // Empty: the card is there but does not answer.
  std::string model;
  std::optional<std::uint64_t> vram_bytes;
  std::optional<std::uint64_t> reserved_bytes;
};

// Why there is nothing to be seen.
struct NvmlTrouble {
  bool no_cards = false;  // No driver or no card: nothing is wrong with this machine.
  std::string sentence;
};

class NvmlLibrary {
 public:
  // Null, with the reason in `trouble`, if the library is absent or does not start.
  static std::unique_ptr<NvmlLibrary> open(NvmlTrouble& trouble);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // The cards this process may use, in PCI order. `complaints` gets a sentence for each card that
  // does not answer as it should.
  std::vector<NvmlCard> cards(std::vector<std::string>& complaints) const;

 private:
  struct Calls;
  NvmlLibrary(void* handle, std::unique_ptr<Calls> calls);
  std::optional<NvmlCard> card_at(unsigned index, std::vector<std::string>& complaints) const;

  void* handle_;
  std::unique_ptr<Calls> calls_;
};

}  // namespace gpusched
