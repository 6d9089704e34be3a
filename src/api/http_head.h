// The head of an answer, as bytes. Internal to the server.
#pragma once

#include <string>
#include <string_view>

#include "api/http_server.h"

namespace gpusched {

// Of the letters that HTTP's names have.
std::string lower_case(std::string_view text);
// `framing`: the line that says how long the body is, or that it comes in chunks.
std::string head_of(const HttpResponse& response, std::string_view framing, bool keep_alive);
// The whole of an error answer, for a connection that gets no session.
std::string refusal_bytes(const Error& error);

}  // namespace gpusched
