#include "core/policy/choose.h"

#include <algorithm>

namespace gpusched::policy {

std::vector<Chosen> choose_starts(Order waiting, NodeLayout layout, OnMisfit on_misfit, Fit fit) {
  std::vector<Chosen> chosen;
  for (const Contender* one : waiting) {
    if (layout.free() <= 0) break;
    auto places = layout.find(one->cards, fit);
    if (places) {
      layout.take(*places);
      chosen.push_back({one->job, std::move(*places)});
    } else if (on_misfit == OnMisfit::kStop) {
      break;
    }
  }
  return chosen;
}

std::vector<Chosen> choose_all(Order in_order, const NodeLayout& layout, PlacementRule rule) {
  std::vector<Chosen> chosen;
  NodeLayout free = layout;
  NodeLayout calm = layout;  // What is free without moving any that runs.
  if (!rule.moves_are_free) {
    for (const Contender* one : in_order) {
      if (one->running) calm.take(one->places);
    }
  }
  for (const Contender* next : in_order) {
    if (free.free() <= 0) break;
    const Contender& one = *next;
    if (!rule.moves_are_free && one.running && free.has(one.places)) {
      free.take(one.places);
      chosen.push_back({one.job, one.places});
      continue;
    }
    if (one.cards > free.free()) continue;
    std::optional<Places> places;
    if (!rule.moves_are_free) {
      if (one.running) calm.give_back(one.places);
      places = calm.find(one.cards, rule.fit);
      if (places && !free.has(*places)) places.reset();
    }
    if (!places) places = free.find(one.cards, rule.fit);
    if (!places) continue;
    free.take(*places);
    if (!rule.moves_are_free) calm.take(*places);
    chosen.push_back({one.job, std::move(*places)});
  }
  return chosen;
}

namespace {

struct Shadow {
  Microseconds in{0};  // From now.
  NodeLayout layout;   // What is free then, by the ends of what runs.
};

// When `head` can start, if nothing else does.
Shadow shadow_of(const Contender& head, std::vector<const Contender*> ends, NodeLayout layout,
                 Fit fit) {
  std::ranges::stable_sort(ends, {}, [](const Contender* one) { return one->remaining; });
  Shadow shadow{.in = {}, .layout = std::move(layout)};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    shadow.layout.give_back(ends[i]->places);
    shadow.in = ends[i]->remaining;
    const bool more_at_once = i + 1 < ends.size() && ends[i + 1]->remaining == shadow.in;
    if (!more_at_once && shadow.layout.find(head.cards, fit)) break;
  }
  return shadow;
}

}  // namespace

std::vector<Chosen> choose_easy(Order waiting, Order running, NodeLayout layout, Fit fit) {
  std::vector<Chosen> chosen = choose_starts(waiting, layout, OnMisfit::kStop, fit);
  const std::size_t head = chosen.size();
  if (head >= waiting.size()) return chosen;
  std::vector<Contender> begun;
  begun.reserve(head);
  std::vector<const Contender*> ends(running.begin(), running.end());
  for (std::size_t i = 0; i < head; ++i) {
    layout.take(chosen[i].places);
    begun.push_back(*waiting[i]);
    begun.back().places = chosen[i].places;
    ends.push_back(&begun.back());
  }
  Shadow shadow = shadow_of(*waiting[head], std::move(ends), layout, fit);
  for (const Contender* one : waiting.subspan(head + 1)) {
    if (layout.free() <= 0) break;
    auto places = layout.find(one->cards, fit);
    if (!places) continue;
    if (one->remaining > shadow.in) {
      // It will still be there: the head must fit beside it.
      shadow.layout.take(*places);
      if (!shadow.layout.find(waiting[head]->cards, fit)) {
        shadow.layout.give_back(*places);
        continue;
      }
    }
    layout.take(*places);
    chosen.push_back({one->job, std::move(*places)});
  }
  return chosen;
}

}  // namespace gpusched::policy
