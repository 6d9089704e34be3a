// What is kept: the only list of it. A new kind of row has its key_of(), its field and its word in
// tie() here, its codec in store/rows.cc and its table in store/migrations.cc. Only if something
// else follows from its rows it has functions of its own in state_rows.cc.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/access/token.h"
#include "core/model/alarm.h"
#include "core/model/card.h"
#include "core/model/group.h"
#include "core/model/job.h"
#include "core/model/kept_change.h"
#include "core/model/message.h"
#include "core/model/move_rates.h"
#include "core/model/reservation.h"
#include "core/model/tenant.h"
#include "core/model/work_sum.h"
#include "core/state/estimates.h"

namespace gpusched {

inline const JobId& key_of(const Job& job) { return job.id; }
inline const std::uint64_t& key_of(const Submission& submission) { return submission.id; }
inline const std::string& key_of(const Group& group) { return group.name; }
inline const std::string& key_of(const Drain& drain) { return drain.uuid; }
inline const std::string& key_of(const MoveRates& rates) { return rates.uuid; }
inline const std::string& key_of(const Tenant& tenant) { return tenant.name; }
inline const std::uint64_t& key_of(const Reservation& reservation) { return reservation.id; }
inline const std::string& key_of(const Token& token) { return token.id; }
inline const PastRunsKey& key_of(const PastRuns& past) { return past.key; }
inline const WorkKey& key_of(const WorkSum& sum) { return sum.key; }

template <class Row>
using RowKey = std::remove_cvref_t<decltype(key_of(std::declval<const Row&>()))>;

// Something of each kind of row.
template <template <class Row> class Of>
struct Durable {
  Of<Job> jobs;
  Of<Submission> submissions;
  Of<Group> groups;
  Of<Drain> drains;
  Of<MoveRates> move_rates;
  Of<Tenant> tenants;
  Of<Reservation> reservations;
  Of<PastRuns> past_runs;
  Of<Token> tokens;
  Of<KeptChange> kept_changes;
  Of<Message> messages;
  Of<WorkSum> work;
  Of<Alarm> alarms;
  Of<Silence> silences;

  // `self`: one of these, const or not.
  template <class Self>
  static auto tie(Self& self) {
    return std::tie(self.jobs, self.submissions, self.groups, self.drains, self.move_rates,
                    self.tenants, self.reservations, self.past_runs, self.tokens, self.kept_changes,
                    self.messages, self.work, self.alarms, self.silences);
  }
  template <class Row>
  Of<Row>& of() {
    return std::get<Of<Row>&>(tie(*this));
  }
  template <class Row>
  const Of<Row>& of() const {
    return std::get<const Of<Row>&>(tie(*this));
  }
  // Calls it with each; jobs come first.
  template <class Visit>
  void for_each(Visit visit) {
    std::apply([&](auto&... each) { (visit(each), ...); }, tie(*this));
  }
  template <class Visit>
  void for_each(Visit visit) const {
    std::apply([&](const auto&... each) { (visit(each), ...); }, tie(*this));
  }
};

// Calls it with both of each kind of row.
template <template <class> class A, template <class> class B, class Visit>
void for_each_pair(const Durable<A>& a, Durable<B>& b, Visit visit) {
  const auto ours = Durable<A>::tie(a);
  auto theirs = Durable<B>::tie(b);
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (visit(std::get<I>(ours), std::get<I>(theirs)), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(ours)>>());
}

// Rows that a commit puts, new or in the place of older ones, and keys of those it removes.
template <class Row>
struct Delta {
  std::vector<Row> put;
  std::vector<RowKey<Row>> removed;
  bool empty() const { return put.empty() && removed.empty(); }
};

template <class Row>
using RowList = std::vector<Row>;

// What rows were before the turn: the first change of each counts.
template <class Row>
class Journal {
 public:
  using Key = RowKey<Row>;
  // Before each change. Null: there is no such row.
  void remember(const Key& key, const Row* row) {
    const auto place = before_.lower_bound(key);
    if (place != before_.end() && place->first == key) return;
    before_.emplace_hint(place, key, row != nullptr ? std::optional<Row>(*row) : std::nullopt);
  }
  const std::map<Key, std::optional<Row>>& before() const { return before_; }
  bool empty() const { return before_.empty(); }
  void clear() { before_.clear(); }

 private:
  std::map<Key, std::optional<Row>> before_;
};

// The rows, and what they were before the turn.
template <class Row>
struct Table {
  std::map<RowKey<Row>, Row> rows;
  Journal<Row> journal;
  const Row* find(const RowKey<Row>& key) const {
    const auto found = rows.find(key);
    return found == rows.end() ? nullptr : &found->second;
  }
};

}  // namespace gpusched
