// Where messages go, as the configuration says it. Secrets are named by files and read when they
// are needed; they are never in here, and never shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace gpusched {

enum class Channel : std::uint8_t {
  kLog,      // The daemon's own log.
  kWebhook,  // Our own JSON, with an HMAC signature.
  kSlack,
  kMattermost,
  kTeams,
  kNtfy,
  kDingTalk,
  kFeishu,
  kWeCom,
  kMail,
  kCommand,       // Gets the message as JSON on its input.
  kAlertmanager,  // POST /api/v2/alerts.
};
inline constexpr std::array<std::string_view, 12> kChannelWords{
    "log",      "webhook", "slack", "mattermost", "teams",   "ntfy",
    "dingtalk", "feishu",  "wecom", "mail",       "command", "alertmanager"};
constexpr std::string_view channel_word(Channel channel) {
  return kChannelWords[static_cast<std::size_t>(channel)];
}

struct Receiver {
  std::string name;
  Channel channel = Channel::kLog;
  std::string url = {};  // Of all that speak HTTP; url_file instead where it is a secret.
  std::string url_file = {};
  std::string secret_file = {};  // HMAC key, bearer token, password of the mail account.
  std::string ca_file = {};      // PEM; empty: the system's.
  std::string topic = {};        // ntfy.
  std::vector<std::string> command = {};
  // Mail.
  std::string host = {};         // "mail.lab.org:587".
  std::string tls = "starttls";  // "starttls", "tls", "none" (loopback alone).
  std::string user = {};         // Login; empty: none.
  std::string from = {};
  std::vector<std::string> to = {};
  // Who may name it in `--notify`: nobody but the rules, or everybody. Of mail: also an address of
  // their own, if it ends in one of `addresses`.
  bool for_users = false;
  std::vector<std::string> addresses = {};
  Seconds timeout{10};      // Of one try.
  Seconds give_up{86'400};  // After so long a message is dropped, with a line in the log.
  friend bool operator==(const Receiver&, const Receiver&) = default;
};
using Receivers = std::map<std::string, Receiver>;

}  // namespace gpusched
