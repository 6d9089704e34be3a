// What is shown to somebody who may not see everybody's jobs (the setting isolation.visibility):
// nothing that names a job, a user or a tenant of others. Every answer asks here, by the one right
// Action::kSeeJob.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/context.h"
#include "core/access/rights.h"
#include "core/model/reason.h"
#include "wire/messages/jobs.h"

namespace gpusched {

// Some jobs are hidden from them.
bool hides_others(const Context& context, const Principal& actor);

// For one who asks, at one moment. REQUIRES: where others are hidden, the actor has a name.
class Veil {
 public:
  Veil(const Context& context, const Principal& actor);

  bool covers() const { return covers_; }
  const Principal& actor() const { return actor_; }
  // How many others have, without who.
  bool shows_counts() const;
  bool sees(const Job& job) const;
  // False also where there is none.
  bool sees(JobId job) const;
  bool sees_user(std::string_view user) const;
  bool sees_uid(std::optional<std::uint32_t> uid) const;
  bool sees_tenant(std::string_view tenant) const;

  // A sentence without others' numbers and names: "a job of another user". `about`: whose it is.
  std::string over(std::string text) const;
  void hide_in(std::vector<std::uint64_t>& jobs) const;
  void hide_in(wire::WaitingReason& reason) const;
  // A reason without the processes of others.
  Reason over(Reason reason) const;
  // A dependency on a job that is not seen is one on a job that is not there.
  std::optional<Error> refuses(const std::vector<Dependency>& after) const;

 private:
  const std::set<std::string>& names_of_others() const;

  const Context& context_;
  const Principal& actor_;
  bool covers_;
  mutable std::optional<std::set<std::string>> names_;
};

// Shared groups belong to nobody.
bool shows_group(const Veil& veil, const std::string& group);

// What somebody has to see to, as this one may read it.
std::vector<std::string> problems_for(const Context& context, const Principal& actor);

}  // namespace gpusched
