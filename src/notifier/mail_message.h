// A message as mail (RFC 5322). Pure: the same message gives the same bytes, so that a mail server
// can tell a repeat by its Message-ID.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/notifier_lines.h"

namespace gpusched::notifier {

struct MailPeople {
  std::string from;  // "gpu@lab.org"
  std::string from_name;
  std::vector<std::string> to;
};
// Whose mail it is and who gets it; a wrong address is kInvalid.
Result<MailPeople> mail_people(const Delivery& delivery);

// Lines end in CR LF.
std::string mail_message(const Delivery& delivery, const MailPeople& people);

// Letters that a host's name may have; the others become "-". Never empty.
std::string host_word(std::string_view name);

}  // namespace gpusched::notifier
