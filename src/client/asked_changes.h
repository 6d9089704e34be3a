// Changes of jobs by asking for their rows again and again: for ways that let no stream through,
// such as a proxy that hands on an answer when it is complete.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "client/event_stream.h"

namespace gpusched {

class AskedChanges {
 public:
  // What the first look finds: nothing, or everything, for who may have missed something.
  enum class First : unsigned char { kNothing, kPicture };
  // `jobs` is a selector; empty or "all": those that have not ended, and how they end.
  AskedChanges(const Client& client, std::string jobs, First first = First::kNothing);
  // What has changed since the last look, as the stream would tell it.
  Result<std::vector<StreamEvent>> look();

 private:
  using Rows = std::map<std::uint64_t, std::string>;
  Result<Rows> ask(const std::string& target) const;

  const Client& client_;
  std::string jobs_;
  First first_;
  Rows seen_;
  bool begun_ = false;
};

}  // namespace gpusched
