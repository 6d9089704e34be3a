// The files that a receiver names, read when a message is sent: what is in them goes to the
// notifier and is kept nowhere else.
#pragma once

#include <string>

#include "base/result.h"
#include "core/model/receiver.h"

namespace gpusched {

struct ReadSecrets {
  std::string url, secret, ca;
};
// May block. The error names the file, never what is in it.
Result<ReadSecrets> read_secrets(const Receiver& receiver);

}  // namespace gpusched
