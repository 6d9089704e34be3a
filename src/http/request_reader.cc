#include "http/request_reader.h"

#include <fmt/format.h>

#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "http/head.h"

namespace gpusched {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

// What is read at once: a submit with an ordinary environment; much of a large body.
constexpr std::size_t kFirstRead = 8 * 1024;
constexpr std::size_t kLargeRead = 64 * 1024;

std::string to_std(beast::string_view text) { return {text.data(), text.size()}; }

}  // namespace

struct RequestReader::Parts {
  beast::flat_buffer buffer;
  std::optional<http::request_parser<http::string_body>> parser;
};

RequestReader::RequestReader(ByteStream& socket, RestartableTimer& deadline,
                             ConnectionPatience& patience, const SessionPorts& ports, Owner owner)
    : socket_(socket),
      deadline_(deadline),
      patience_(patience),
      ports_(ports),
      owner_(std::move(owner)),
      parts_(std::make_unique<Parts>()) {}
RequestReader::~RequestReader() = default;

void RequestReader::read(bool network) {
  network_ = network;
  parts_->parser.emplace();
  parts_->parser->header_limit(ports_.limits.header_bytes);
  body_most_ = ports_.limits.body_bytes;
  parts_->parser->body_limit(body_most_);
  parts_->buffer.reserve(kFirstRead);
  deadline_.set(patience_.for_request(), owner_.keep(), [this] { too_slow(); });
  http::async_read_header(
      socket_, parts_->buffer, *parts_->parser,
      [this, keep = owner_.keep()](ErrorOf fault, std::size_t) { on_header(fault); });
}

// The clock for a request starts with its first byte.
void RequestReader::read_when_it_comes(bool network) {
  patience_.begin();
  if (parts_->buffer.size() > 0) return read(network);
  deadline_.set(patience_.between(), owner_.keep(), [this] { owner_.gone(); });
  socket_.wait_readable([this, network, keep = owner_.keep()](ErrorOf fault) {
    if (fault) return owner_.gone();
    read(network);
  });
}

std::string RequestReader::take_rest() {
  const auto data = parts_->buffer.data();
  std::string rest(static_cast<const char*>(data.data()), data.size());
  parts_->buffer.consume(rest.size());
  return rest;
}

void RequestReader::on_header(ErrorOf fault) {
  if (stopped_) return;
  if (fault) return on_fault(fault);
  headers_.clear();  // Read here: what comes behind the body is no head.
  for (const auto& field : parts_->parser->get()) {
    headers_.emplace(lower_case(to_std(field.name_string())), to_std(field.value()));
  }
  if (!patience_.proved() && ports_.limits.knows(headers_) && patience_.proves()) {
    deadline_.set(patience_.for_request(), owner_.keep(), [this] { too_slow(); });
    owner_.proved();
  }
  // Two of these may mean one thing here and another to who has looked before us.
  for (const auto once :
       {http::field::host, http::field::authorization, http::field::cookie, http::field::origin}) {
    if (parts_->parser->get().count(once) > 1) {
      return refuse({ErrorCode::kInvalid,
                     "a request has at most one " + to_std(http::to_string(once)) + " header"});
    }
  }
  const auto codings = parts_->parser->get().count(http::field::transfer_encoding);
  const bool chunks_alone = codings == 1 && lower_case(header("transfer-encoding")) == "chunked";
  // Such a body would end with the connection, if ever.
  const bool endless =
      !parts_->parser->is_done() && !parts_->parser->content_length() && !parts_->parser->chunked();
  if (endless || (codings > 0 && !chunks_alone)) {
    return refuse({ErrorCode::kInvalid, "a body needs a Content-Length, or chunks"});
  }
  if (!parts_->parser->is_done()) {
    body_most_ = ports_.body_most(to_std(parts_->parser->get().method_string()),
                                  to_std(parts_->parser->get().target()));
    parts_->parser->body_limit(body_most_);
    if (parts_->parser->content_length().value_or(0) > body_most_) {
      return on_fault(http::error::body_limit);
    }
    if (const auto error = refuses_body()) return refuse(*error);
    if (lower_case(header("expect")) == "100-continue") return write_continue();
  }
  read_body();
}

std::optional<Error> RequestReader::refuses_body() {
  const std::uint64_t wanted = parts_->parser->content_length().value_or(body_most_);
  if (wanted <= kSmallBody) return std::nullopt;
  if (network_ && !ports_.limits.knows(headers_)) {
    return Error{ErrorCode::kUnauthenticated, "a body of this size needs a token"};
  }
  if (!owner_.reserve(wanted)) {
    return Error{ErrorCode::kBusy,
                 "the daemon is reading other large requests, or others of yours; try again"};
  }
  parts_->buffer.reserve(kLargeRead);
  return std::nullopt;
}

void RequestReader::read_body() {
  if (parts_->parser->is_done()) return finish();
  http::async_read(socket_, parts_->buffer, *parts_->parser,
                   [this, keep = owner_.keep()](ErrorOf fault, std::size_t) {
                     if (stopped_) return;
                     if (fault) return on_fault(fault);
                     finish();
                   });
}

void RequestReader::write_continue() {
  static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  asio::async_write(socket_, asio::buffer(kContinue.data(), kContinue.size()),
                    [this, keep = owner_.keep()](ErrorOf fault, std::size_t) {
                      if (fault) return owner_.gone();
                      if (!stopped_) read_body();
                    });
}

void RequestReader::on_fault(ErrorOf fault) {
  const auto error = fault_of_request(fault, body_most_, ports_.limits.header_bytes);
  if (error) return refuse(*error);
  owner_.gone();
}

void RequestReader::too_slow() {
  const auto seconds = patience_.in_all() / std::chrono::seconds{1};
  refuse({ErrorCode::kInvalid, fmt::format("the request was not complete after {} s", seconds)},
         true);
}

void RequestReader::refuse(const Error& error, bool silent) {
  stopped_ = true;
  owner_.refuse(error, silent);
}

void RequestReader::finish() {
  deadline_.cancel();
  auto message = parts_->parser->release();
  RequestRead read;
  read.keep_alive = message.keep_alive() && message.version() >= 11;
  read.head_only = message.method() == http::verb::head;
  read.chunked = message.version() >= 11;
  read.target = to_std(message.target());
  read.request.method = to_std(message.method_string());
  read.request.headers = std::exchange(headers_, {});
  read.request.body = std::move(message.body());
  owner_.take(std::move(read));
}

// REQUIRES: a name in lower case.
std::string RequestReader::header(const char* name) const {
  const auto found = headers_.find(name);
  return found == headers_.end() ? std::string() : found->second;
}

}  // namespace gpusched
