// What an owner wants to be told of a job, and who is to be told: "done,fail:ops". Kept as it was
// written (SpecExtras::notify); read here, once for the client, the daemon and those who tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusched {

enum class JobNews : std::uint8_t {
  kDone,
  kFail,  // It failed, or will never run: it expired, or waited for one that failed.
  kStart,
  kMoved,  // It left its cards for others, or returned to them.
  kLate,   // Its deadline cannot be met any more, or was missed.
};
inline constexpr std::array<std::string_view, 5> kJobNewsWords{"done", "fail", "start", "moved",
                                                               "late"};
constexpr std::string_view news_word(JobNews news) {
  return kJobNewsWords[static_cast<std::size_t>(news)];
}

struct NotifyWish {
  std::array<bool, kJobNewsWords.size()> news{};  // By JobNews.
  std::string target;                             // A receiver, or an address.
  bool wants(JobNews what) const { return news[static_cast<std::size_t>(what)]; }
};

// How many of them a job may have.
inline constexpr std::size_t kNotifyWishesMost = 10;

// Without words in front of a colon: done and fail. Nothing: it cannot be read.
std::optional<NotifyWish> read_notify_wish(std::string_view text);
// What is wrong with it, for people; nothing: it can be read.
std::optional<std::string> fault_of_notify_wish(std::string_view text);

}  // namespace gpusched
