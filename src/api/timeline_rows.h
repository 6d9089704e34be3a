// What was on the cards and what is, as rows of an answer for one who asks.
#pragma once

#include <optional>
#include <vector>

#include "api/context.h"
#include "api/veil.h"
#include "core/model/past_span.h"
#include "wire/messages/timeline.h"

namespace gpusched {

// An answer has no more spans; the newest are in it.
inline constexpr std::size_t kSpansMost = 5'000;

struct TimelineAsked {
  Wall from{}, until{};
  std::optional<CardNumber> card = {};
};
Result<TimelineAsked> parse_timeline(const std::map<std::string, std::string>& query, Wall now);
// `name`=24h: so long ago; +6h: so long ahead; else a moment.
Result<Wall> parse_moment(const char* name, const std::string& text, Wall now);

// What is asked of the store for it.
PastPart past_part_of(const TimelineAsked& asked, const Veil& veil, const Principal& actor);

// Who may read what of names.
struct NameRights {
  Principal actor;
  bool arguments_for_all = false;
  std::string name_in(const PastSpan& span) const;
  std::string name_of(const Job& job) const;
};

// Of all but spans that are over: what holds now and what is planned. REQUIRES: no commit is under
// way.
wire::Timeline timeline_now(const Context& context, const TimelineAsked& asked, const Veil& veil);
// Jobs that are on their cards or aside, card by card.
std::vector<PastSpan> spans_now(const Context& context, const TimelineAsked& asked,
                                const Veil& veil);
// Drains and alarms of the past become rows of `answer`; of spans of jobs what is hidden goes.
void take_others(Past& past, const TimelineAsked& asked, const Context& context, const Veil& veil,
                 wire::Timeline& answer);
// Needs nothing of the loop. Both kinds of spans are of jobs; what goes on has no end.
void fill_in_spans(std::vector<PastSpan> under_way, std::vector<PastSpan> over,
                   const NameRights& names, wire::Timeline& answer);

}  // namespace gpusched
