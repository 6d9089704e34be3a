#include "config/receiver_fields.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "config/values.h"
#include "os/tcp_address.h"

namespace gpusched {
namespace {

constexpr std::size_t kReceiverTextMost = 2000;
constexpr std::size_t kReceiverListMost = 100;
constexpr Seconds kTimeoutMost{60};
constexpr Seconds kGiveUpMost{30 * 86'400};

using ReceiverTexts = std::vector<std::string>;
using WrittenField = std::optional<std::string>;

Result<void> check_receiver_text(const std::string& text) {
  if (text.empty()) return wrong("must not be empty");
  if (text.size() > kReceiverTextMost)
    return wrong(fmt::format("has more than {} bytes", kReceiverTextMost));
  const bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (control) return wrong("must not contain control characters");
  return {};
}

ReceiverField receiver_text(std::string_view key, std::string_view kinds,
                            std::string Receiver::*where) {
  return {key, kinds, false,
          [where](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            if (auto checked = check_receiver_text(texts[0]); !checked) return checked;
            receiver.*where = texts[0];
            return {};
          },
          [where](const Receiver& receiver) -> WrittenField {
            if ((receiver.*where).empty()) return std::nullopt;
            return quoted(receiver.*where);
          }};
}

ReceiverField receiver_file(std::string_view key, std::string_view kinds,
                            std::string Receiver::*where) {
  ReceiverField field = receiver_text(key, kinds, where);
  field.read = [read = field.read](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
    if (!texts[0].starts_with('/')) {
      return wrong(fmt::format("\"{}\" is not the absolute path of a file", texts[0]));
    }
    return read(receiver, texts);
  };
  return field;
}

ReceiverField receiver_list(std::string_view key, std::string_view kinds,
                            ReceiverTexts Receiver::*where) {
  return {key, kinds, true,
          [where](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            if (texts.size() > kReceiverListMost)
              return wrong(fmt::format("has more than {}", kReceiverListMost));
            for (const std::string& text : texts) {
              if (auto checked = check_receiver_text(text); !checked) return checked;
            }
            receiver.*where = texts;
            return {};
          },
          [where](const Receiver& receiver) -> WrittenField {
            if ((receiver.*where).empty()) return std::nullopt;
            ReceiverTexts shown;
            for (const std::string& text : receiver.*where) shown.push_back(quoted(text));
            return fmt::format("[{}]", fmt::join(shown, ", "));
          }};
}

ReceiverField receiver_duration(std::string_view key, Seconds Receiver::*where, Seconds most) {
  return {key, "", false,
          [where, most](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            const auto read = parse_duration(texts[0]);
            if (!read) return failure(read.error());
            if (*read < Seconds{1} || *read > most) {
              return wrong(fmt::format("{} is not from 1s to {}", texts[0], exact_duration(most)));
            }
            receiver.*where = *read;
            return {};
          },
          [where](const Receiver& receiver) -> WrittenField {
            if (receiver.*where == Receiver{}.*where) return std::nullopt;
            return exact_duration(receiver.*where);
          }};
}

ReceiverField receiver_channel() {
  return {"channel", "", false,
          [](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            const auto found = std::ranges::find(kChannelWords, texts[0]);
            if (found == kChannelWords.end()) {
              return wrong(
                  fmt::format("\"{}\" is none of {}", texts[0], fmt::join(kChannelWords, ", ")));
            }
            receiver.channel = static_cast<Channel>(found - kChannelWords.begin());
            return {};
          },
          [](const Receiver& receiver) -> WrittenField {
            return std::string(channel_word(receiver.channel));
          }};
}

ReceiverField receiver_tls() {
  return {"tls", "m", false,
          [](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            if (texts[0] != "starttls" && texts[0] != "tls" && texts[0] != "none") {
              return wrong(fmt::format("\"{}\" is none of starttls, tls, none", texts[0]));
            }
            receiver.tls = texts[0];
            return {};
          },
          [](const Receiver& receiver) -> WrittenField {
            if (receiver.tls == Receiver{}.tls) return std::nullopt;
            return receiver.tls;
          }};
}

ReceiverField receiver_users() {
  return {"for_users", "", false,
          [](Receiver& receiver, const ReceiverTexts& texts) -> Result<void> {
            const auto read = read_switch(texts[0]);
            if (!read) return failure(read.error());
            receiver.for_users = *read;
            return {};
          },
          [](const Receiver& receiver) -> WrittenField {
            if (!receiver.for_users) return std::nullopt;
            return switch_word(true);
          }};
}

// "mail.lab.org:587", "[::1]:25": what stands before the port.
std::string_view host_of_place(std::string_view place) {
  if (place.starts_with('[')) return place.substr(1, place.find(']') - 1);
  return place.substr(0, place.find_first_of(":/"));
}

std::string fault_of_url(const std::string& url) {
  if (url.empty()) return {};
  std::string_view rest = url;
  const bool plain = rest.starts_with("http://");
  if (!plain && !rest.starts_with("https://")) return "url must begin with https://";
  rest.remove_prefix(plain ? 7 : 8);
  const std::string_view host = host_of_place(rest);
  const std::string_view authority = rest.substr(0, rest.find('/'));
  if (host.empty() || authority.find('@') != std::string_view::npos) {
    return "url must be like https://host/path, without a user in it";
  }
  if (plain && !is_loopback_host(host)) {
    return "url must begin with https://; http:// is for this machine alone (127.0.0.1)";
  }
  if (rest.find_first_of(" \"<>\\") != std::string_view::npos) return "url has a wrong character";
  return {};
}

std::string fault_of_mail(const Receiver& receiver) {
  if (receiver.host.empty()) return "host is missing: the mail server, such as mail.lab.org:587";
  if (receiver.from.find('@') == std::string::npos) return "from must be a mail address";
  for (const std::string& to : receiver.to) {
    if (to.find('@') == std::string::npos) return fmt::format("to: \"{}\" is no mail address", to);
  }
  for (const std::string& end : receiver.addresses) {
    if (!end.starts_with('@') || end.size() < 2 || end.find('@', 1) != std::string::npos) {
      return fmt::format("addresses: \"{}\" is not like @lab.org", end);
    }
  }
  if (receiver.to.empty() && receiver.addresses.empty()) return "to is missing: who gets the mail";
  if (receiver.tls == "none" && !is_loopback_host(host_of_place(receiver.host))) {
    return "tls: none is for a mail server on this machine alone";
  }
  if (receiver.user.empty() != receiver.secret_file.empty()) {
    return "user and secret_file (the file with the password) belong together";
  }
  return {};
}

}  // namespace

const std::vector<ReceiverField>& receiver_fields() {
  static const std::vector<ReceiverField> fields = {
      receiver_channel(),
      receiver_text("url", "h", &Receiver::url),
      receiver_file("url_file", "h", &Receiver::url_file),
      receiver_file("secret_file", "hm", &Receiver::secret_file),
      receiver_file("ca_file", "hm", &Receiver::ca_file),
      receiver_text("topic", "n", &Receiver::topic),
      receiver_list("command", "c", &Receiver::command),
      receiver_text("host", "m", &Receiver::host),
      receiver_tls(),
      receiver_text("user", "m", &Receiver::user),
      receiver_text("from", "m", &Receiver::from),
      receiver_list("to", "m", &Receiver::to),
      receiver_users(),
      receiver_list("addresses", "m", &Receiver::addresses),
      receiver_duration("timeout", &Receiver::timeout, kTimeoutMost),
      receiver_duration("give_up", &Receiver::give_up, kGiveUpMost),
  };
  return fields;
}

std::string_view channel_kinds(Channel channel) {
  switch (channel) {
    case Channel::kLog:
      return "";
    case Channel::kWebhook:
    case Channel::kSlack:
    case Channel::kMattermost:
    case Channel::kTeams:
    case Channel::kDingTalk:
    case Channel::kFeishu:
    case Channel::kWeCom:
    case Channel::kAlertmanager:
      return "h";
    case Channel::kNtfy:
      return "hn";
    case Channel::kMail:
      return "m";
    case Channel::kCommand:
      return "c";
  }
  return "";
}

std::string fault_of_receiver(const Receiver& receiver) {
  const std::string_view kinds = channel_kinds(receiver.channel);
  if (kinds.find('h') != std::string_view::npos) {
    if (receiver.url.empty() == receiver.url_file.empty()) {
      return "it needs a url, or a url_file where the address is a secret";
    }
    if (receiver.channel == Channel::kNtfy && receiver.topic.empty()) return "topic is missing";
    return fault_of_url(receiver.url);
  }
  if (receiver.channel == Channel::kMail) return fault_of_mail(receiver);
  if (receiver.channel == Channel::kCommand &&
      (receiver.command.empty() || !receiver.command[0].starts_with('/'))) {
    return "command must be a list that begins with the absolute path of a program";
  }
  return {};
}

}  // namespace gpusched
