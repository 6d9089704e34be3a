// Whom users may have told of their jobs: receivers that the configuration opens to them, and
// addresses of mail that end as it says. Never a place of their own choice outside
// (docs/adr/0115).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/job.h"
#include "core/model/notify_wish.h"
#include "core/model/receiver.h"

namespace gpusched {

// To whom: the name of a receiver, and an address where it takes several.
struct Target {
  std::string receiver;
  std::string address = {};
  friend bool operator==(const Target&, const Target&) = default;
};

// What a user means by `text`; nothing: there is no such, or it is not for users.
std::optional<Target> target_of_user(const Receivers& receivers, const std::string& text);
// Why a job may not have these wishes, with what there is; nothing: it may.
std::optional<std::string> fault_of_targets(const Receivers& receivers, const JobSpec& spec);

}  // namespace gpusched
