// For tests of the scheduler library: cards, requests, short names. No file of the core may meet
// it.
#pragma once

#include <gpusched/scheduler.h>

#include <chrono>
#include <string>
#include <vector>

namespace gpusched::library {

using namespace std::chrono_literals;

inline constexpr std::uint64_t kGiB = 1ULL << 30;
inline constexpr auto kPatience = 20s;

inline std::vector<CardReport> cards(int count) {
  std::vector<CardReport> list;
  for (int i = 0; i < count; ++i) {
    CardReport card;
    card.number = i;
    card.uuid = "GPU-" + std::to_string(i);
    card.vram_bytes = 24 * kGiB;
    list.push_back(card);
  }
  return list;
}

inline GpuRequest whole(const std::string& name = "worker") {
  GpuRequest request;
  request.name = name;
  return request;
}
inline GpuRequest part(std::uint64_t gib) {
  GpuRequest request = whole();
  request.vram_bytes = gib * kGiB;
  request.share_percent = 1;
  return request;
}

}  // namespace gpusched::library
