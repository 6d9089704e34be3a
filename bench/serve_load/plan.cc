#include "plan.h"

#include <fmt/format.h>

#include <sstream>

namespace gpusched {
namespace {

std::string rest_of(std::istringstream& words) {
  std::string rest;
  std::getline(words >> std::ws, rest);
  return rest;
}

bool read_order(const std::string& order, std::istringstream& words, LoadPlan& plan) {
  if (order == "port") return static_cast<bool>(words >> plan.port);
  if (order == "addresses") return static_cast<bool>(words >> plan.addresses);
  if (order == "tls") return plan.tls = true;
  if (order == "seconds") return static_cast<bool>(words >> plan.seconds);
  if (order == "connections") return static_cast<bool>(words >> plan.connections);
  if (order == "half") return static_cast<bool>(words >> plan.halves);
  if (order == "header") return !plan.headers.emplace_back(rest_of(words)).empty();
  if (order == "token") return !plan.tokens.emplace_back(rest_of(words)).empty();
  if (order == "stream" || order == "stall") {
    Followers& crowd = (order == "stream" ? plan.streams : plan.stalled).emplace_back();
    return static_cast<bool>(words >> crowd.count >> crowd.target);
  }
  if (order != "ask") return false;
  Ask& ask = plan.asks.emplace_back();
  if (!(words >> ask.name >> ask.rate >> ask.method >> ask.target)) return false;
  ask.body = rest_of(words);
  return ask.rate > 0;
}

}  // namespace

Result<LoadPlan> read_plan(std::istream& in) {
  LoadPlan plan;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string order;
    if (!(words >> order)) continue;
    if (!read_order(order, words, plan)) {
      return failure(ErrorCode::kInvalid, fmt::format("this is no order: {}", line));
    }
  }
  if (plan.port == 0) return failure(ErrorCode::kInvalid, "no port is named");
  return plan;
}

std::string request_text(const LoadPlan& plan, const Ask& ask, std::size_t connection) {
  std::string text =
      fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", ask.method, ask.target, plan.port);
  for (const std::string& header : plan.headers) text += header + "\r\n";
  if (!plan.tokens.empty()) {
    text += "Authorization: Bearer " + plan.tokens[connection % plan.tokens.size()] + "\r\n";
  }
  if (!ask.body.empty()) text += "Content-Type: application/json\r\n";
  if (!ask.body.empty() || ask.method != "GET") {
    text += fmt::format("Content-Length: {}\r\n", ask.body.size());
  }
  return text + "\r\n" + ask.body;
}

}  // namespace gpusched
