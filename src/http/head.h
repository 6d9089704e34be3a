// The head of an answer, as bytes, and what can be wrong with a request. Internal to the server.
#pragma once

#include <boost/system/error_code.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/types.h"

namespace gpusched {

// `framing`: the line that says how long the body is, or that it comes in chunks.
std::string head_of(const HttpResponse& response, std::string_view framing, bool keep_alive);
// What keeps a browser from guessing at, framing or storing an answer, where the answer does not
// say otherwise, as the files of the page do.
void add_browser_headers(HttpResponse& response);
// The last words of a stream that is cut off; empty: its form has none.
std::string last_words(std::string_view content_type, const Error& why);
// Names the version of a whole answer to a GET (ETag), unless it has one. A client that has this
// version, or any of those in `known` (If-None-Match), gets no body: 304.
void tag_version(HttpResponse& response, std::string_view known);
// The whole of an error answer, for a connection that gets no session.
std::string refusal_bytes(const Error& error);

// What to tell a client whose request could not be read. Nullopt: nothing, it has gone.
std::optional<Error> fault_of_request(boost::system::error_code fault, std::uint64_t body_most,
                                      std::uint64_t header_most);

}  // namespace gpusched
