#include <gtest/gtest.h>

#include "config/config_file.h"
#include "config/reload.h"

namespace gpusched {
namespace {

constexpr const char* kReceiversFile = R"(receivers:
  ops:
    channel: slack
    url_file: /etc/gpusched/slack.url
    for_users: on
  hook: {channel: webhook, url: "https://hook.lab.org/x", secret_file: /etc/gpusched/hmac}
  near: {channel: webhook, url: "http://127.0.0.1:8080/x", timeout: 2s, give_up: 1h}
  mail:
    channel: mail
    host: mail.lab.org:587
    user: gpusched
    secret_file: /etc/gpusched/mail.password
    from: gpusched@lab.org
    to: [ops@lab.org]
    for_users: yes
    addresses: ["@lab.org"]
  pager: {channel: command, command: [/usr/local/bin/page, "--now"]}
  phone: {channel: ntfy, url: "https://ntfy.sh", topic: cards}
  log: {channel: log}
  "null": {channel: log}
)";

std::string receivers_fault(const std::string& text) {
  const Result<Config> config = parse_config(text, "file");
  return config ? "accepted" : config.error().message;
}

TEST(ReceiversYaml, ReadsEveryField) {
  const Result<Config> config = parse_config(kReceiversFile, "file");
  ASSERT_TRUE(config) << config.error().message;
  const Receivers& all = config->rules.known_receivers();
  ASSERT_EQ(all.size(), 8U);
  EXPECT_EQ(all.at("ops").channel, Channel::kSlack);
  EXPECT_EQ(all.at("ops").url_file, "/etc/gpusched/slack.url");
  EXPECT_TRUE(all.at("ops").for_users);
  EXPECT_FALSE(all.at("hook").for_users);
  EXPECT_EQ(all.at("near").timeout, Seconds{2});
  EXPECT_EQ(all.at("near").give_up, Seconds{3600});
  EXPECT_EQ(all.at("mail").addresses, std::vector<std::string>{"@lab.org"});
  EXPECT_EQ(all.at("pager").command, (std::vector<std::string>{"/usr/local/bin/page", "--now"}));
  EXPECT_EQ(all.at("phone").topic, "cards");
}

TEST(ReceiversYaml, IsShownAsItReads) {
  const Result<Config> config = parse_config(kReceiversFile, "file");
  ASSERT_TRUE(config);
  const std::string text = config_text(*config);
  const Result<Config> again = parse_config(text, "shown");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->rules.known_receivers(), config->rules.known_receivers());
  EXPECT_TRUE(changes_between(*config, *again).empty());
  EXPECT_EQ(changes_between(Config{}, *config).size(), 1U);
  EXPECT_FALSE(changes_between(Config{}, *config)[0].at_restart);
}

TEST(ReceiversYaml, MistakesAreToldWithTheirPlace) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"receivers: 3\n", "file:1:12: receivers must be a map of receivers"},
      {"receivers: [a]\n", "file:1:12: receivers must be a map of receivers"},
      {"receivers:\n  a b: {channel: log}\n",
       "file:2:3: receivers: a name has letters, digits, '-', '_' and '.' only"},
      {"receivers:\n  none: {channel: log}\n",
       "file:2:3: receivers: --notify none is nobody; give it another name"},
      {"receivers:\n  a: {url: x}\n", "file:2:3: receivers.a.channel is missing"},
      {"receivers:\n  a: {channel: smoke}\n",
       "file:2:16: receivers.a.channel: \"smoke\" is none of log, webhook, slack, mattermost, "
       "teams, ntfy, dingtalk, feishu, wecom, mail, command, alertmanager"},
      {"receivers:\n  a: {channel: webhook, secret: abc, url: 'https://x'}\n",
       "file:2:25: receivers.a.secret: secrets do not stand in this file; put it into a file of "
       "its own and name that as secret_file"},
      {"receivers:\n  a: {channel: webhook, url: 'http://hook.lab.org/'}\n",
       "file:2:3: receivers.a: url must begin with https://; http:// is for this machine alone "
       "(127.0.0.1)"},
      {"receivers:\n  a: {channel: webhook, url: 'http://127.0.0.1.example.org/'}\n",
       "file:2:3: receivers.a: url must begin with https://; http:// is for this machine alone "
       "(127.0.0.1)"},
      {"receivers:\n  a: {channel: mail, host: '127.0.0.1.example.org', from: a@b, to: [c@d], "
       "tls: none}\n",
       "file:2:3: receivers.a: tls: none is for a mail server on this machine alone"},
      {"receivers:\n  a: {channel: webhook, url: 'http://127.0.0.1@evil.example/'}\n",
       "file:2:3: receivers.a: url must be like https://host/path, without a user in it"},
      {"receivers:\n  a: {channel: webhook, url: 'ftp://x'}\n",
       "file:2:3: receivers.a: url must begin with https://"},
      {"receivers:\n  a: {channel: webhook}\n",
       "file:2:3: receivers.a: it needs a url, or a url_file where the address is a secret"},
      {"receivers:\n  a: {channel: webhook, url_file: x.url}\n",
       "file:2:35: receivers.a.url_file: \"x.url\" is not the absolute path of a file"},
      {"receivers:\n  a: {channel: log, url: 'https://x'}\n",
       "file:2:3: receivers.a: a receiver of channel log has no url"},
      {"receivers:\n  a: {channel: mail, host: 'h:25', from: a@b, to: [c@d], tls: none}\n",
       "file:2:3: receivers.a: tls: none is for a mail server on this machine alone"},
      {"receivers:\n  a: {channel: mail, host: 'h:25', from: a@b, addresses: [lab.org]}\n",
       "file:2:3: receivers.a: addresses: \"lab.org\" is not like @lab.org"},
      {"receivers:\n  a: {channel: mail, host: 'h:25', from: a@b, to: [c@d], user: u}\n",
       "file:2:3: receivers.a: user and secret_file (the file with the password) belong together"},
      {"receivers:\n  a: {channel: command, command: [page]}\n",
       "file:2:3: receivers.a: command must be a list that begins with the absolute path of a "
       "program"},
      {"receivers:\n  a: {channel: log, timout: 3s}\n",
       "file:2:21: unknown setting \"receivers.a.timout\"; did you mean \"timeout\"?"},
      {"receivers:\n  a: {channel: log, timeout: 0}\n",
       "file:2:30: receivers.a.timeout: 0 is not from 1s to 1m"},
      {"receivers:\n  a: {channel: log}\n  a: {channel: log}\n",
       "file:3:3: \"receivers.a\" is set twice"},
  };
  for (const auto& [text, fault] : mistakes) EXPECT_EQ(receivers_fault(text), fault) << text;
}

}  // namespace
}  // namespace gpusched
