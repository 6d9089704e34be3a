#include "notifier/payload/payload.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/hmac.h"
#include "base/text.h"
#include "json/json_value.h"
#include "notifier/mail_message.h"
#include "notifier/sample_delivery.h"

namespace gpusched::notifier {
namespace {

void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = GPUSCHED_GOLDEN_DIRECTORY "/notifier/" + name;
  if (std::getenv("GPUSCHED_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream file(path, std::ios::binary);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(text, golden.str()) << path;
}

std::string shown(const HttpRequest& request) {
  std::string text = "POST " + request.url + "\n";
  for (const auto& [name, value] : request.headers) text += name + ": " + value + "\n";
  return text + "\n" + request.body + "\n";
}

struct Case {
  Channel channel;
  HttpRequest (*request)(const Delivery&);
};
constexpr Case kCases[] = {{Channel::kWebhook, webhook_request},
                           {Channel::kSlack, slack_request},
                           {Channel::kMattermost, mattermost_request},
                           {Channel::kTeams, teams_request},
                           {Channel::kNtfy, ntfy_request},
                           {Channel::kDingTalk, dingtalk_request},
                           {Channel::kFeishu, feishu_request},
                           {Channel::kWeCom, wecom_request},
                           {Channel::kAlertmanager, alertmanager_request}};

TEST(Payload, OfEachChannelIsAsItWas) {
  for (const Case& one : kCases) {
    const std::string name(channel_word(one.channel));
    expect_golden(name + ".txt", shown(one.request(sample_delivery(one.channel))));
    expect_golden(name + "-hostile.txt", shown(one.request(hostile_delivery(one.channel))));
    Delivery over = sample_delivery(one.channel);
    over.message.notice.resolved = true;
    expect_golden(name + "-resolved.txt", shown(one.request(over)));
  }
}

TEST(Payload, OfEachChannelIsJsonOfBoundedLength) {
  for (const Case& one : kCases) {
    Delivery delivery = hostile_delivery(one.channel);
    Notice& notice = delivery.message.notice;
    for (int i = 0; i < 3'000; ++i) notice.what += "\xE2\x82\xAC<";
    notice.whom = notice.advice = notice.subject = notice.thread = notice.what;
    delivery.message.others = std::vector<std::string>(10, notice.what);
    delivery.machine = delivery.link = notice.what;
    const HttpRequest request = one.request(delivery);
    const auto value = parse_json(request.body);
    ASSERT_TRUE(value) << channel_word(one.channel) << ": " << value.error().message;
    EXPECT_TRUE(is_utf8(request.body));
    EXPECT_EQ(request.body.find("\\udc"), std::string::npos) << channel_word(one.channel);
    // Our own form has no limit of its own.
    if (one.channel != Channel::kWebhook && one.channel != Channel::kAlertmanager) {
      EXPECT_LT(request.body.size(), 28'000U) << channel_word(one.channel);
    }
  }
}

std::string text_at(const HttpRequest& request, std::initializer_list<std::string_view> path) {
  auto value = parse_json(request.body);
  const JsonValue* at = &*value;
  for (const std::string_view name : path) at = at == nullptr ? nullptr : at->find(name);
  const auto* text = at == nullptr ? nullptr : at->as<std::string>();
  return text == nullptr ? "" : *text;
}

TEST(Payload, NtfyAndWeComStayBelowTheirBytes) {
  Delivery delivery = hostile_delivery(Channel::kNtfy);
  delivery.message.notice.advice = std::string(10'000, 'a');
  delivery.message.others = std::vector<std::string>(5, std::string(10'000, '*'));
  EXPECT_LE(text_at(ntfy_request(delivery), {"message"}).size(), 3500U);
  EXPECT_LE(text_at(wecom_request(delivery), {"markdown", "content"}).size(), 4096U);
}

// What Python's hmac and base64 say of the same.
TEST(Payload, SignaturesAreWhatTheReceiversCompute) {
  Delivery delivery = sample_delivery(Channel::kDingTalk);
  delivery.now = Wall{Microseconds{1'767'254'460'123'000}};
  EXPECT_EQ(dingtalk_request(delivery).url,
            "https://hooks.example/services/T000/B000/hush-hush?timestamp=1767254460123"
            "&sign=kigYUieTz8pAQNJnxoArd4UKUbP3CqhQLfBXOppjE94%3D");
  EXPECT_EQ(text_at(feishu_request(delivery), {"timestamp"}), "1767254460");
  EXPECT_EQ(text_at(feishu_request(delivery), {"sign"}),
            "MB91ldf2IZDR/F4TqyGhmhOf7oWYm4uSBiYIjKUxRww=");
  const HttpRequest own = webhook_request(delivery);
  ASSERT_EQ(own.headers.size(), 3U);
  EXPECT_EQ(own.headers[2].second, "v1=" + hmac_sha256_hex("SEC-hush", "7.1767254460." + own.body));
}

TEST(Payload, WithoutASecretNothingIsSigned) {
  Delivery delivery = sample_delivery(Channel::kWebhook);
  delivery.secret.clear();
  EXPECT_EQ(webhook_request(delivery).headers.size(), 2U);
  EXPECT_EQ(dingtalk_request(delivery).url, delivery.url);
  EXPECT_EQ(text_at(feishu_request(delivery), {"sign"}), "");
  EXPECT_TRUE(ntfy_request(delivery).headers.empty());
}

TEST(Payload, NobodyIsCalledByAJobsName) {
  const auto body = [](Channel channel, HttpRequest (*request)(const Delivery&)) {
    return request(hostile_delivery(channel)).body;
  };
  // Plain text elements; what a phone shows is escaped.
  EXPECT_EQ(text_at(slack_request(hostile_delivery(Channel::kSlack)), {"text"}).find("<!"),
            std::string::npos);
  EXPECT_EQ(body(Channel::kMattermost, mattermost_request).find("@all"), std::string::npos);
  EXPECT_EQ(body(Channel::kMattermost, mattermost_request).find("@channel"), std::string::npos);
  EXPECT_EQ(body(Channel::kDingTalk, dingtalk_request).find("@all"), std::string::npos);
  EXPECT_EQ(body(Channel::kWeCom, wecom_request).find("<@"), std::string::npos);
  EXPECT_EQ(body(Channel::kFeishu, feishu_request).find("\"tag\":\"at\""), std::string::npos);
  EXPECT_EQ(body(Channel::kTeams, teams_request).find("\"TextBlock\""), std::string::npos);
}

TEST(Payload, TheTopicOfNtfyMayBeInItsUrl) {
  Delivery delivery = sample_delivery(Channel::kNtfy);
  delivery.url = "https://ntfy.example/cards";
  EXPECT_EQ(ntfy_request(delivery).url, "https://ntfy.example/");
  EXPECT_EQ(text_at(ntfy_request(delivery), {"topic"}), "cards");
  delivery.url = "https://ntfy.example";
  delivery.receiver.topic = "other";
  EXPECT_EQ(ntfy_request(delivery).url, "https://ntfy.example");
  EXPECT_EQ(text_at(ntfy_request(delivery), {"topic"}), "other");
}

TEST(Payload, MailIsAsItWas) {
  Delivery delivery = hostile_delivery(Channel::kMail);
  delivery.receiver.from = "GPUs of the lab <gpu@example.org>";
  delivery.receiver.to = {"ml1@example.org", "ml2@example.org"};
  delivery.message.notice.attachment = ".\nA report, 91 \xC2\xB0\x43\n";
  std::string mail = mail_message(delivery, *mail_people(delivery));
  std::erase(mail, '\r');
  expect_golden("mail.txt", mail);
}

}  // namespace
}  // namespace gpusched::notifier
