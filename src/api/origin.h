// What a browser says of where a request comes from: whom it meant to reach (Host), and whose page
// has sent it (Origin, Sec-Fetch-Site). The first keeps a foreign name from leading here (DNS
// rebinding), the second keeps a foreign page from using somebody's cookie.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/result.h"
#include "http/types.h"

namespace gpusched {

// The name or address of a Host header, in lower case, without port, brackets and last dot. Empty:
// it is none.
std::string name_in_host(std::string_view host);

// An error: the request was meant for somebody else. `names`: those that are ours, in lower case.
// Loopback is always ours: no foreign name is written like it, and tunnels end there.
std::optional<Error> refuses_host(const HttpRequest& request, const std::set<std::string>& names);

// An error: a change, or a login, that another page has ordered. `with_cookie`: nothing else proves
// who asks; then a browser has to say where it comes from.
std::optional<Error> refuses_origin(const HttpRequest& request, bool with_cookie);

// The browser reaches us over TLS, ours or that of a proxy before us.
bool is_over_tls(const HttpRequest& request);

}  // namespace gpusched
