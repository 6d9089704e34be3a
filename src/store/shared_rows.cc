#include "store/shared_rows.h"

namespace gpusched {

std::optional<std::int64_t> SpecRows::find(const std::shared_ptr<const JobSpec>& spec) const {
  const auto found = by_address_.find(spec.get());
  if (found == by_address_.end() || found->second.spec.expired()) return std::nullopt;
  return found->second.row;
}

void SpecRows::add(const std::shared_ptr<const JobSpec>& spec, std::int64_t row) {
  Entry& entry = by_address_[spec.get()];
  // The predecessor at this address is gone from memory; its row lives until its job is removed.
  if (entry.row != 0) by_row_.erase(entry.row);
  entry = {spec, row};
  by_row_[row] = spec.get();
  added_.push_back(row);
}

void SpecRows::erase(std::int64_t row) {
  const auto found = by_row_.find(row);
  if (found == by_row_.end()) return;
  by_address_.erase(found->second);
  by_row_.erase(found);
}

void SpecRows::end_transaction(bool committed) {
  for (const std::int64_t row : committed ? removed_ : added_) erase(row);
  added_.clear();
  removed_.clear();
}

std::optional<std::int64_t> EnvironmentRows::find(const std::string& hash) const {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return std::nullopt;
  return found->second;
}

void EnvironmentRows::add(const std::string& hash, std::int64_t row) {
  by_hash_[hash] = row;
  by_row_[row] = hash;
  added_.push_back(row);
}

void EnvironmentRows::erase(std::int64_t row) {
  const auto found = by_row_.find(row);
  if (found == by_row_.end()) return;
  by_hash_.erase(found->second);
  by_row_.erase(found);
}

void EnvironmentRows::end_transaction(bool committed) {
  for (const std::int64_t row : committed ? removed_ : added_) erase(row);
  added_.clear();
  removed_.clear();
}

}  // namespace gpusched
