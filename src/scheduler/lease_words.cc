#include "scheduler/lease_words.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "json/error_json.h"
#include "json/json_writer.h"

namespace gpusched::library {
namespace {

// The most that every user may ask for, unless an administrator says otherwise; before all that is
// not critical, whose priority is the default.
constexpr int kCriticalPriority = 84;

std::string text_in(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* text = field == nullptr ? nullptr : field->as<std::string>();
  return text == nullptr ? std::string() : *text;
}
FaultKind kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNeverFits:
      return FaultKind::kNeverFits;
    case ErrorCode::kNotFound:
      return FaultKind::kUnknown;
    case ErrorCode::kInternal:
      return FaultKind::kInternal;
    case ErrorCode::kBusy:
    case ErrorCode::kUnavailable:
    case ErrorCode::kStorageFull:
    case ErrorCode::kIo:
      return FaultKind::kUnavailable;
    case ErrorCode::kInvalid:
    case ErrorCode::kForbidden:
    case ErrorCode::kUnauthenticated:
    case ErrorCode::kConflict:
    case ErrorCode::kTooLarge:
    case ErrorCode::kUnsupported:
      return FaultKind::kInvalid;
  }
  return FaultKind::kInternal;
}

const char* word_of(MayUseCpus use) {
  switch (use) {
    case MayUseCpus::kNever:
      return "never";
    case MayUseCpus::kPrefer:
      return "prefer";
    case MayUseCpus::kFallback:
      return "fallback";
  }
  return "never";
}

void write_wish(JsonWriter& json, const Wish& wish, const std::string& application) {
  json.begin_object().field("application", application).field("placement", "round-robin");
  if (!wish.name.empty()) json.field("name", wish.name);
  if (wish.gpus != 1) json.field("gpus", wish.gpus);
  if (wish.vram_bytes > 0) json.field("vram_bytes", wish.vram_bytes);
  if (wish.share_percent > 0) json.field("share_percent", wish.share_percent);
  if (wish.cpus != MayUseCpus::kNever) json.field("cpu_use", word_of(wish.cpus));
  if (wish.critical) json.field("priority", kCriticalPriority);
  if (wish.timeout.count() > 0) {
    json.field("wait_at_most_ms", static_cast<std::uint64_t>(wish.timeout.count()));
  }
  json.end_object();
}

}  // namespace

std::uint64_t number_in(const JsonValue& value, std::string_view name) {
  const JsonValue* field = value.find(name);
  const auto* number = field == nullptr ? nullptr : field->as<std::uint64_t>();
  return number == nullptr ? 0 : *number;
}

Reply<JsonValue> value_of(const Result<DaemonAnswer>& answer) {
  if (!answer) return fault(FaultKind::kUnavailable, answer.error().message);
  if (answer->status >= 300) {
    Error error = read_error(answer->body, answer->status);
    return fault(kind_of(error.code), std::move(error.message));
  }
  auto value = parse_json(answer->body);
  if (!value) return fault(FaultKind::kInternal, "the gpusched daemon's answer cannot be read");
  return std::move(*value);
}

Reply<Standing> standing_in(const JsonValue& lease) {
  Standing standing;
  standing.id = number_in(lease, "id");
  const std::string state = text_in(lease, "state");
  standing.aside = state == "pausing" || state == "paused" || state == "resuming";
  standing.granted = state == "running" || standing.aside;
  standing.wish.name = text_in(lease, "name");
  standing.wish.critical = number_in(lease, "priority") >= kCriticalPriority;
  if (!standing.granted && state != "queued" && state != "held") {
    const std::string message = text_in(lease, "message");
    const std::string cause = text_in(lease, "cause");
    if (cause == "expired") {
      return fault(FaultKind::kTimeout, "it was not granted within its timeout");
    }
    if (cause == "gpu_lost") return fault(FaultKind::kCardLost, "a card of it failed");
    if (message.starts_with("reset")) return fault(FaultKind::kReset, "the scheduler was reset");
    return fault(FaultKind::kUnknown,
                 fmt::format("it has ended: {}", message.empty() ? state : message));
  }
  standing.cpus = static_cast<int>(number_in(lease, "cpus"));
  const JsonValue* gpus = lease.find("gpus");
  const auto* cards = gpus == nullptr ? nullptr : gpus->as<JsonArray>();
  for (const JsonValue& card : cards == nullptr ? JsonArray{} : *cards) {
    standing.cards.push_back({static_cast<int>(number_in(card, "number")), text_in(card, "uuid"),
                              number_in(card, "vram_bytes"),
                              static_cast<int>(number_in(card, "share_percent"))});
  }
  if (const JsonValue* environment = lease.find("environment")) {
    standing.devices = text_in(*environment, "CUDA_VISIBLE_DEVICES");
  }
  standing.wish.gpus = standing.granted ? static_cast<int>(standing.cards.size()) : 1;
  standing.reason = text_in(lease, "reason");
  standing.position = static_cast<int>(number_in(lease, "position"));
  if (const auto start = parse_rfc3339(text_in(lease, "estimated_start"))) {
    standing.estimated_start = std::chrono::system_clock::time_point(start->time_since_epoch());
  }
  return standing;
}

Reply<Standing> standing_of_line(const std::string& line) {
  const auto value = parse_json(line);
  const JsonValue* lease = value ? value->find("lease") : nullptr;
  if (lease == nullptr) return fault(FaultKind::kInternal, "the daemon told nothing of a lease");
  return standing_in(*lease);
}

std::optional<std::uint64_t> lease_of_line(const std::string& line) {
  const auto value = parse_json(line);
  const JsonValue* lease = value ? value->find("lease") : nullptr;
  if (lease == nullptr) return std::nullopt;
  return number_in(*lease, "id");
}

Reply<Standing> standing_of_answer(const Result<DaemonAnswer>& answer) {
  Reply<JsonValue> value = value_of(answer);
  if (!value) return tl::unexpected<Fault>(value.error());
  const JsonValue* lease = value->find("lease");
  if (lease == nullptr) return fault(FaultKind::kInternal, "the daemon's answer has no lease");
  return standing_in(*lease);
}

std::vector<const JsonValue*> leases_in(const JsonValue& value) {
  std::vector<const JsonValue*> found;
  const JsonValue* leases = value.find("leases");
  const auto* list = leases == nullptr ? nullptr : leases->as<JsonArray>();
  if (list == nullptr) return found;
  for (const JsonValue& lease : *list) found.push_back(&lease);
  return found;
}

std::string body_of(const std::vector<Wish>& wishes, const std::string& application) {
  std::string body;
  JsonWriter json(body);
  json.begin_object().key("leases").begin_array();
  for (const Wish& wish : wishes) write_wish(json, wish, application);
  json.end_array().end_object();
  return body;
}

}  // namespace gpusched::library
