// What may be said of a receiver, one row each: the reader of `receivers:` and `config show` come
// from these rows.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/model/receiver.h"

namespace gpusched {

struct ReceiverField {
  std::string_view key;
  // Which channels may have it, by the letters of channel_kinds(): h http, m mail, c command, n
  // ntfy; empty: all.
  std::string_view kinds;
  bool list = false;
  // The error says what is wrong with the texts, without the place. One text, unless it is a list.
  std::function<Result<void>(Receiver&, const std::vector<std::string>& texts)> read;
  // As it stands in the file; nullopt: it has its default.
  std::function<std::optional<std::string>(const Receiver&)> write;
};
const std::vector<ReceiverField>& receiver_fields();
// The kinds of fields that this channel has.
std::string_view channel_kinds(Channel channel);
// What is wrong with all of it together; empty: nothing.
std::string fault_of_receiver(const Receiver& receiver);

}  // namespace gpusched
