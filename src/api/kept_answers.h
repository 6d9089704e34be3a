// Answers of changes that came with a key (`Idempotency-Key`): a client that lost its connection
// repeats the request, and gets the answer of the first without anything being done twice. Here are
// those of this daemon, to the byte, and those who wait for one; what outlives the daemon is kept
// with the change (core/model/kept_change.h), and for a submission with its jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "core/access/principal.h"
#include "http/types.h"

namespace gpusched {

// The key of a request; empty: it has none.
Result<std::string> idempotency_key(const HttpRequest& request);
// What was asked; the same again is the same to the byte.
std::string request_digest(const HttpRequest& request);

class KeptAnswers {
 public:
  static constexpr std::size_t kMostOfUser = 1000;
  static constexpr std::size_t kBytesOfUser = 1U << 20;
  static constexpr Microseconds kKept = Seconds{24 * 3600};

  explicit KeptAnswers(std::function<Now()> now);
  ~KeptAnswers();

  // Where the answer of this request goes, if the request is to be done. Nothing: it was done
  // before, or is being done, and is answered with that; or the key was another request's.
  std::optional<Responder> begin(const Principal& actor, const std::string& key,
                                 const HttpRequest& request, const Responder& responder);

 private:
  struct Memory;
  struct Ticket;
  std::shared_ptr<Memory> memory_;
};

}  // namespace gpusched
