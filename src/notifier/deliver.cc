#include "notifier/deliver.h"

#include <utility>

#include "notifier/command.h"
#include "notifier/http_post.h"
#include "notifier/mail.h"
#include "notifier/outcomes.h"
#include "notifier/payload/payload.h"

namespace gpusched::notifier {
namespace {

DeliveryOutcome deliver_by_post(const Delivery& delivery, const HttpRequest& request,
                                Boot deadline) {
  const auto answer = post(request, delivery.ca, deadline);
  return answer ? verdict_on(delivery, *answer) : outcome_of(delivery, answer.error());
}

}  // namespace

DeliveryOutcome deliver(const Delivery& delivery, Boot deadline) {
  switch (delivery.receiver.channel) {
    case Channel::kLog:
      return outcome_of(delivery, {ErrorCode::kInvalid, "the daemon writes its log itself"});
    case Channel::kWebhook:
      return deliver_by_post(delivery, webhook_request(delivery), deadline);
    case Channel::kSlack:
      return deliver_by_post(delivery, slack_request(delivery), deadline);
    case Channel::kMattermost:
      return deliver_by_post(delivery, mattermost_request(delivery), deadline);
    case Channel::kTeams:
      return deliver_by_post(delivery, teams_request(delivery), deadline);
    case Channel::kNtfy:
      return deliver_by_post(delivery, ntfy_request(delivery), deadline);
    case Channel::kDingTalk:
      return deliver_by_post(delivery, dingtalk_request(delivery), deadline);
    case Channel::kFeishu:
      return deliver_by_post(delivery, feishu_request(delivery), deadline);
    case Channel::kWeCom:
      return deliver_by_post(delivery, wecom_request(delivery), deadline);
    case Channel::kAlertmanager:
      return deliver_by_post(delivery, alertmanager_request(delivery), deadline);
    case Channel::kMail:
      return send_mail(delivery, deadline);
    case Channel::kCommand:
      return run_command(delivery, deadline);
  }
  return outcome_of(delivery, {ErrorCode::kInvalid, "its channel is not known"});
}

}  // namespace gpusched::notifier
