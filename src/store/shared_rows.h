// Which rows the shared parts of jobs (specs and environments) already have, so that the jobs of
// an array write one spec. What a transaction adds or removes counts once it has ended, which
// keeps this equal to the file also when a commit fails.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/model/job.h"

namespace gpusched {

// Specs are told apart by address: the jobs of an array share one object.
class SpecRows {
 public:
  std::optional<std::int64_t> find(const std::shared_ptr<const JobSpec>& spec) const;
  void add(const std::shared_ptr<const JobSpec>& spec, std::int64_t row);
  void remove(std::int64_t row) { removed_.push_back(row); }
  void end_transaction(bool committed);

 private:
  struct Entry {
    // Tells an object from a later one at the same address.
    std::weak_ptr<const JobSpec> spec;
    std::int64_t row = 0;
  };
  void erase(std::int64_t row);

  std::unordered_map<const JobSpec*, Entry> by_address_;
  std::unordered_map<std::int64_t, const JobSpec*> by_row_;
  std::vector<std::int64_t> added_;
  std::vector<std::int64_t> removed_;
};

class EnvironmentRows {
 public:
  std::optional<std::int64_t> find(const std::string& hash) const;
  void add(const std::string& hash, std::int64_t row);
  void remove(std::int64_t row) { removed_.push_back(row); }
  void end_transaction(bool committed);

 private:
  void erase(std::int64_t row);

  std::unordered_map<std::string, std::int64_t> by_hash_;
  std::unordered_map<std::int64_t, std::string> by_row_;
  std::vector<std::int64_t> added_;
  std::vector<std::int64_t> removed_;
};

}  // namespace gpusched
