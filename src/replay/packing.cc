#include "replay/packing.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

namespace gpusched::replay {
namespace {

// The same on every machine, unlike the standard distributions.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(engine_() % bound); }

 private:
  std::mt19937_64 engine_;
};

// One seed's run. What a policy thinks of a machine is kept until the machine changes: only one
// does with each task.
class PackRun {
 public:
  PackRun(const PackTrace& trace, const PackingSettings& settings, std::uint64_t seed)
      : trace_(trace), settings_(settings), dice_(seed), nodes_(trace.nodes) {
    std::vector<PackRequest> requests;
    for (const PackTask& task : trace.tasks) requests.push_back(task.request);
    typical_ = typical_requests(requests, 0.95);
    changed_.assign(nodes_.size(), 1);
    for (const PackNode& node : nodes_) {
      capacity_ += node.room.free_milli();
      largest_.cpu_milli = std::max(largest_.cpu_milli, static_cast<double>(node.room.cpu_milli));
      largest_.card_milli =
          std::max(largest_.card_milli, static_cast<double>(node.room.free_milli()));
      fragmented_.push_back(fragmentation_of(node.room, typical_));
    }
  }

  void run(PackingResult& result) {
    std::vector<std::size_t> order(trace_.tasks.size());
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[dice_.below(i)]);
    const double asked_most = settings_.requested_percent / 100 * static_cast<double>(capacity_);
    double asked = 0;
    std::int64_t given = 0;
    std::size_t count = 0;
    const bool any_card = std::ranges::any_of(
        trace_.tasks, [](const PackTask& task) { return task.request.cards > 0; });
    while (any_card && asked < asked_most) {
      // All of them once, then any of them again.
      const std::size_t task = count < order.size() ? order[count] : dice_.below(order.size());
      ++count;
      const PackRequest& request = trace_.tasks[task].request;
      const std::int64_t milli = std::int64_t{request.cards} * request.card_milli;
      asked += static_cast<double>(milli);
      if (place(request)) {
        given += milli;
      } else {
        ++result.dropped;
      }
    }
    result.tasks += count;
    result.cards = capacity_ / 1000;
    const double whole = static_cast<double>(std::max<std::int64_t>(1, capacity_));
    result.allocated_percent.push_back(100.0 * static_cast<double>(given) / whole);
    result.fragmented_percent.push_back(
        100.0 * std::accumulate(fragmented_.begin(), fragmented_.end(), 0.0) / whole);
  }

 private:
  struct Opinion {
    std::uint64_t of = 0;  // changed_ of the machine when it was formed.
    int score = -1;        // -1: does not fit.
  };

  bool place(const PackRequest& request) {
    const std::size_t none = nodes_.size();
    std::size_t best = none;
    if (settings_.policy == PackingPolicy::kRandom) {
      best = any_fitting(request);
    } else {
      auto& opinions = opinions_.try_emplace(request, nodes_.size()).first->second;
      int score = -1;
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        Opinion& opinion = opinions[i];
        if (opinion.of != changed_[i]) opinion = {changed_[i], score_on(request, i)};
        if (opinion.score > score) {
          score = opinion.score;
          best = i;  // Ties: the first by name.
        }
      }
    }
    if (best == none) return false;
    PackRoom& room = nodes_[best].room;
    take_from(room, request, cards_on(request, best));
    ++changed_[best];
    fragmented_[best] = fragmentation_of(room, typical_);
    return true;
  }

  std::size_t any_fitting(const PackRequest& request) {
    std::vector<std::size_t> fitting;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (fits_in(request, nodes_[i].room)) fitting.push_back(i);
    }
    return fitting.empty() ? nodes_.size() : fitting[dice_.below(fitting.size())];
  }

  PackChoice choice_on(const PackRequest& request, std::size_t node) const {
    const PackRoom& room = nodes_[node].room;
    if (settings_.policy == PackingPolicy::kBestFit) {
      return choose_by_best_fit(request, room, largest_);
    }
    return choose_by_fragmentation(request, room, typical_, fragmented_[node]);
  }
  int score_on(const PackRequest& request, std::size_t node) const {
    return fits_in(request, nodes_[node].room) ? choice_on(request, node).score : -1;
  }
  std::vector<int> cards_on(const PackRequest& request, std::size_t node) {
    if (settings_.policy != PackingPolicy::kRandom) return choice_on(request, node).cards;
    std::vector<int> cards = fitting_cards(request, nodes_[node].room);
    for (std::size_t i = cards.size(); i > 1; --i) std::swap(cards[i - 1], cards[dice_.below(i)]);
    cards.resize(static_cast<std::size_t>(request.cards));
    return cards;
  }

  const PackTrace& trace_;
  const PackingSettings& settings_;
  Dice dice_;
  std::vector<PackNode> nodes_;
  std::vector<TypicalRequest> typical_;
  PackLargest largest_;
  std::int64_t capacity_ = 0;
  std::vector<std::uint64_t> changed_;  // Counts a machine's changes.
  std::vector<double> fragmented_;      // By machine.
  std::map<PackRequest, std::vector<Opinion>> opinions_;
};

}  // namespace

double PackingResult::mean() const {
  return std::accumulate(allocated_percent.begin(), allocated_percent.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, allocated_percent.size()));
}

double PackingResult::deviation() const {
  if (allocated_percent.size() < 2) return 0;
  double sum = 0;
  for (const double value : allocated_percent) sum += (value - mean()) * (value - mean());
  return std::sqrt(sum / static_cast<double>(allocated_percent.size() - 1));
}

PackingResult pack(const PackTrace& trace, const PackingSettings& settings) {
  PackingResult result;
  for (int i = 0; i < settings.seeds; ++i) {
    PackRun(trace, settings, settings.first_seed + static_cast<std::uint64_t>(i)).run(result);
    if (settings.progress != nullptr) {
      settings.progress(static_cast<double>(i + 1) / settings.seeds);
    }
  }
  result.tasks /= static_cast<std::uint64_t>(std::max(1, settings.seeds));
  return result;
}

}  // namespace gpusched::replay
