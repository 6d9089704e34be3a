#include "core/model/move_rates.h"

#include <algorithm>

namespace gpusched {
namespace {

// What was moved in less says more about the call than about the card.
constexpr std::uint64_t kBytesLeast = 256ULL << 20;
constexpr Microseconds kCopyingLeast = std::chrono::milliseconds{20};
// Moves of one card wait for each other: what took longer was waiting.
constexpr Microseconds kFixedMost = Seconds{10};
// From then on the newest counts so much, and the oldest fade.
constexpr std::uint64_t kRemembered = 4;

constexpr std::uint64_t kSecond = 1'000'000;

}  // namespace

MoveRate learned(MoveRate rate, const MeasuredMove& move) {
  if (move.bytes < kBytesLeast || move.copying < kCopyingLeast) return rate;
  const double us = static_cast<double>(move.copying.count());
  const double seen = static_cast<double>(move.bytes) * static_cast<double>(kSecond) / us;
  const Microseconds besides = std::clamp(move.whole - move.copying, Microseconds{0}, kFixedMost);
  ++rate.moves;
  const auto weight = static_cast<double>(std::min(rate.moves, kRemembered));
  const double before = static_cast<double>(rate.bytes_per_s);
  rate.bytes_per_s = static_cast<std::uint64_t>(before + (seen - before) / weight);
  rate.fixed += (besides - rate.fixed) / static_cast<std::int64_t>(weight);
  return rate;
}

MoveRate usual_rate_out() { return {1'600ULL << 20, std::chrono::milliseconds{250}, 0}; }
MoveRate usual_rate_back() { return {5'300ULL << 20, std::chrono::milliseconds{250}, 0}; }

Microseconds time_at(const MoveRate& rate, std::uint64_t bytes) {
  if (bytes == 0) return Microseconds{0};
  const double per_second = static_cast<double>(std::max<std::uint64_t>(rate.bytes_per_s, 1));
  const double us = static_cast<double>(bytes) / per_second * static_cast<double>(kSecond);
  constexpr double kLongest = 1e15;  // Some thirty years.
  return rate.fixed + Microseconds{static_cast<std::int64_t>(std::min(us, kLongest))};
}

}  // namespace gpusched
