#include "core/model/notify_wish.h"

#include <algorithm>

#include "base/text.h"

namespace gpusched {
namespace {

std::optional<std::size_t> place_of(std::string_view word) {
  const auto found = std::ranges::find(kJobNewsWords, word);
  if (found == kJobNewsWords.end()) return std::nullopt;
  return static_cast<std::size_t>(found - kJobNewsWords.begin());
}

}  // namespace

std::optional<NotifyWish> read_notify_wish(std::string_view text) {
  NotifyWish wish;
  const std::size_t colon = text.find(':');
  const std::string_view target = colon == std::string_view::npos ? text : text.substr(colon + 1);
  const std::string_view words =
      colon == std::string_view::npos ? std::string_view("done,fail") : text.substr(0, colon);
  if (target.empty() || target.find(':') != std::string_view::npos) return std::nullopt;
  for (const std::string_view word : split(words, ',')) {
    const auto place = place_of(word);
    if (!place) return std::nullopt;
    wish.news[*place] = true;
  }
  wish.target = target;
  return wish;
}

std::optional<std::string> fault_of_notify_wish(std::string_view text) {
  if (read_notify_wish(text)) return std::nullopt;
  return "'" + std::string(text) +
         "' is not like done,fail:ops, with a receiver's name or an address behind the colon and "
         "any of done, fail, start, moved, late before it";
}

}  // namespace gpusched
