// A message in the form of each channel that speaks HTTP. Pure: one function per channel, one file
// each. Lengths are kept below what the channels take.
#pragma once

#include <string>

#include "notifier/http_request.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

HttpRequest webhook_request(const Delivery& delivery);
HttpRequest slack_request(const Delivery& delivery);
HttpRequest mattermost_request(const Delivery& delivery);
HttpRequest teams_request(const Delivery& delivery);
HttpRequest ntfy_request(const Delivery& delivery);
HttpRequest dingtalk_request(const Delivery& delivery);
HttpRequest feishu_request(const Delivery& delivery);
HttpRequest wecom_request(const Delivery& delivery);
HttpRequest alertmanager_request(const Delivery& delivery);

// Our own JSON: the body of a webhook, and what a command gets on its input.
std::string message_json(const Delivery& delivery);

// The URL as the daemon read it.
std::string url_of(const Delivery& delivery);
// Seconds since 1970.
std::string unix_time(Wall time);

}  // namespace gpusched::notifier
