// What daemon and gpusched-notifier say to each other: one JSON object per line. The notifier knows
// nothing of rules or outboxes: it is given one delivery at a time per receiver, and says what
// became of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/model/message.h"
#include "core/model/receiver.h"

namespace gpusched {

inline constexpr std::size_t kNotifierLineMost = 1U << 20;

// Daemon to notifier.
struct Delivery {
  std::uint64_t id = 0;  // Of the message.
  Receiver receiver;
  // As read from their files by the daemon; they stay in the notifier's memory alone.
  std::string url = {}, secret = {}, ca = {};
  Message message;
  // Which message of this number it is, for the journal: a word that the daemon made. A store that
  // was put back, or another one, may give the number to another message.
  std::string mark = {};
  std::string machine = {};  // Its name, for people.
  std::string link = {};     // To look at it; may be empty.
  Wall now{};                // For signatures with a time.
};

// Notifier to daemon.
enum class DeliveryResult : std::uint8_t {
  kDelivered,
  kAgain,    // It may work later: no connection, a time-out, 429, 5xx, a refusal for now.
  kRefused,  // It will not: 4xx, an error code in a 200 answer, a wrong certificate is kAgain.
};
struct DeliveryOutcome {
  std::uint64_t id = 0;
  DeliveryResult result = DeliveryResult::kAgain;
  std::string error = {};                   // One sentence, without secrets and without the URL.
  std::optional<Seconds> retry_after = {};  // As the receiver asks for it.
  std::string mark = {};                    // Of the delivery; in the journal alone.
};
// Letters, digits and -, so that it is one word in a line; at most so many.
inline constexpr std::size_t kMarkMost = 64;
bool is_mark(std::string_view text);

inline constexpr std::array<std::string_view, 3> kDeliveryResultWords{"delivered", "again",
                                                                      "refused"};
constexpr std::string_view result_word(DeliveryResult result) {
  return kDeliveryResultWords[static_cast<std::size_t>(result)];
}

// One line without its end, of at most kNotifierLineMost bytes: what is too long of an attachment
// is cut off. Times have milliseconds. Readers pass over fields that they do not know; a known one
// of the wrong form is kInvalid, with a sentence that names it and quotes nothing.
std::string write_line(const Delivery& delivery);
Result<Delivery> read_delivery(std::string_view line);
std::string write_line(const DeliveryOutcome& outcome);
Result<DeliveryOutcome> read_outcome(std::string_view line);

}  // namespace gpusched
