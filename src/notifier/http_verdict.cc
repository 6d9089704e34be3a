#include "notifier/http_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/number.h"
#include "base/text.h"
#include "json/json_value.h"
#include "notifier/spoken.h"

namespace gpusched::notifier {
namespace {

constexpr Seconds kRetryMost{86'400};

DeliveryOutcome outcome(const Delivery& delivery, DeliveryResult result, std::string error) {
  return {.id = delivery.id, .result = result, .error = std::move(error)};
}

// ": what it said", or nothing.
std::string quoted(const Delivery& delivery, std::string_view said) {
  const std::string words = spoken(delivery, said);
  return words.empty() ? "" : ": " + words;
}

// The whole number of a field, if it is one.
std::optional<std::int64_t> code_in(const JsonValue& answer, std::string_view name) {
  const JsonValue* found = answer.find(name);
  if (found == nullptr) return std::nullopt;
  if (const auto* code = found->as<std::uint64_t>()) return static_cast<std::int64_t>(*code);
  if (const auto* code = found->as<std::int64_t>()) return *code;
  return std::nullopt;
}

struct CodeFields {
  std::string_view code, words;
};
// Feishu has had two names for it.
constexpr std::array<CodeFields, 3> kCodeFields{
    {{"errcode", "errmsg"}, {"code", "msg"}, {"StatusCode", "StatusMessage"}}};

// Too often, or busy: DingTalk, WeCom, Feishu.
constexpr std::array<std::int64_t, 8> kTryLater{-1,    130101, 410100, 45009,
                                                45033, 11232,  9499,   90018};
// Wrong signature or time.
constexpr std::array<std::int64_t, 2> kBadSignature{19021, 310000};

// The three that answer 200 whatever happens.
DeliveryOutcome verdict_inside(const Delivery& delivery, const AnswerSaid& answer) {
  const auto value = parse_json(answer.body);
  if (value) {
    for (const auto& [name, words_name] : kCodeFields) {
      const auto code = code_in(*value, name);
      if (!code) continue;
      if (*code == 0) return outcome(delivery, DeliveryResult::kDelivered, "");
      const JsonValue* words = value->find(words_name);
      const auto* text = words == nullptr ? nullptr : words->as<std::string>();
      const bool later = std::ranges::find(kTryLater, *code) != kTryLater.end();
      const bool sign = std::ranges::find(kBadSignature, *code) != kBadSignature.end();
      return outcome(
          delivery, later ? DeliveryResult::kAgain : DeliveryResult::kRefused,
          fmt::format("it answered with error code {}{}{}", *code,
                      sign ? " (compare the secret, the key words and this machine's clock)" : "",
                      quoted(delivery, text == nullptr ? "" : *text)));
    }
  }
  return outcome(delivery, DeliveryResult::kAgain,
                 "it answered with 200, but did not say that it took the message");
}

DeliveryOutcome verdict_on_success(const Delivery& delivery, const AnswerSaid& answer) {
  switch (delivery.receiver.channel) {
    case Channel::kDingTalk:
    case Channel::kFeishu:
    case Channel::kWeCom:
      return verdict_inside(delivery, answer);
    case Channel::kTeams:
      // Its older addresses say so with 200.
      if (answer.body.find("HTTP error 429") != std::string::npos) {
        return outcome(delivery, DeliveryResult::kAgain, "it wants fewer messages (429)");
      }
      break;
    case Channel::kLog:
    case Channel::kWebhook:
    case Channel::kSlack:
    case Channel::kMattermost:
    case Channel::kNtfy:
    case Channel::kMail:
    case Channel::kCommand:
    case Channel::kAlertmanager:
      break;
  }
  return outcome(delivery, DeliveryResult::kDelivered, "");
}

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::optional<Wall> read_http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || !text.ends_with(" GMT")) return std::nullopt;
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  const auto read =
      parse_rfc3339(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4), month - kMonths.begin() + 1,
                                text.substr(5, 2), text.substr(17, 8)));
  if (!read) return std::nullopt;
  return *read;
}

}  // namespace

std::optional<Seconds> read_retry_after(std::string_view text, Wall now) {
  text = trimmed(text);
  std::uint32_t count = 0;
  if (whole_number(text, count)) return std::min(Seconds{count}, kRetryMost);
  const auto date = read_http_date(text);
  if (!date) return std::nullopt;
  const auto left = std::chrono::ceil<Seconds>(*date - now);
  return std::clamp(left, Seconds{0}, kRetryMost);
}

DeliveryOutcome verdict_on(const Delivery& delivery, const AnswerSaid& answer) {
  const int status = answer.status;
  if (status >= 200 && status < 300) return verdict_on_success(delivery, answer);
  if (status >= 300 && status < 400) {
    return outcome(delivery, DeliveryResult::kRefused,
                   fmt::format("it redirects elsewhere ({}), which is not followed; give the "
                               "address that it redirects to",
                               status));
  }
  const bool later = status == 408 || status == 425 || status == 429 || status >= 500;
  DeliveryOutcome said = outcome(
      delivery, later ? DeliveryResult::kAgain : DeliveryResult::kRefused,
      status == 429
          ? "it wants fewer messages (429)"
          : fmt::format("it answered with status {}{}", status, quoted(delivery, answer.body)));
  if (later) said.retry_after = read_retry_after(answer.retry_after, delivery.now);
  return said;
}

}  // namespace gpusched::notifier
