// The processes on one card, as the driver lists them, in whatever form this driver has. Belongs
// to one card's thread.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "nvml/question.h"
#include "watch/sample.h"

namespace gpusched::nvml {

class ProcessLists {
 public:
  explicit ProcessLists(std::shared_ptr<Library> library) : library_(std::move(library)) {}

  // Each process once, in the order of their pids. kUnsupported: this driver lists none.
  Result<std::vector<watch::ProcessSample>> read(Asking& asking);

 private:
  struct Listed {
    int code = kSuccess;
    std::vector<ProcessInfo2> processes;
  };
  Listed read_kind(Asking& asking, std::size_t kind);
  Listed read_details(Asking& asking, std::size_t kind);
  Listed read_plain(Asking& asking, std::size_t kind);
  Listed read_form(Asking& asking, std::size_t kind, std::size_t form);

  std::shared_ptr<Library> library_;
  std::size_t room_ = 64;              // Entries; grows with what there was.
  std::array<std::size_t, 3> form_{};  // By kind: the newest form that this driver has.
};

// How many bytes apart the entries are that were written into `buffer`, which was full of kFill
// before. Drivers 535.43 to 535.86 write 32-byte entries where 24 are the rule.
constexpr unsigned char kFill = 0xAA;
std::size_t stride_of(const std::vector<unsigned char>& buffer, std::size_t count);

}  // namespace gpusched::nvml
