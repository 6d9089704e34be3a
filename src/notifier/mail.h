// One message to a mail server.
#pragma once

#include <string_view>

#include "base/result.h"
#include "notifier/connection.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

DeliveryOutcome send_mail(const Delivery& delivery, Boot deadline);

// "mail.lab.org:587", "[::1]:25", "mail.lab.org": without a port it is the usual one.
Result<Endpoint> mail_endpoint(std::string_view host, std::string_view tls);

}  // namespace gpusched::notifier
