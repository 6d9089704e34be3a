// The lines between the daemon and gpusched-sampler, in both directions: docs/sampler-protocol.md.
// Both programs use this reader and this writer, so neither can misunderstand the other.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "watch/report.h"

namespace gpusched {

class JsonWriter;

// The most that a line may have; a reader that gets more has lost its place.
constexpr std::size_t kSamplerLineMost = 1U << 20;

// One line without its end.
std::string write_report(const watch::Report& report);
std::string write_order(const watch::Order& order);

// Fields and types that are not known are passed over (OtherReport, OtherOrder); a known field of
// the wrong form is kInvalid, with a sentence that names it.
Result<watch::Report> read_report(std::string_view line);
Result<watch::Order> read_order(std::string_view line);

// The same objects as parts of other answers (`gpusched gpus --json`).
// The card's fields, for an object that the caller opens and may go on with.
void write_numbered_card(JsonWriter& json, const watch::NumberedCard& card);
void write_backend(JsonWriter& json, const watch::BackendState& backend);
void write_card_sample(JsonWriter& json, const watch::CardSample& sample);
// `idle_since`: it holds memory without using the card since then.
void write_watched_process(JsonWriter& json, const watch::WatchedProcess& process,
                           std::optional<Wall> idle_since = {});

}  // namespace gpusched
