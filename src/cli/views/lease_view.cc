#include "cli/views/lease_view.h"

#include "json/json_value.h"

namespace gpusched::cli {

LeaseView lease_of(const Reader& lease) {
  LeaseView view;
  lease.number("id", view.id);
  lease.text("state", view.state);
  lease.text("reason", view.reason);
  lease.text("message", view.message);
  lease.text("name", view.name);
  lease.text("user", view.user);
  lease.text("holder", view.holder);
  lease.number("pid", view.pid);
  lease.time("expires_at", view.expires_at);
  lease.each("gpus", [&](const JsonValue& card) {
    int number = 0;
    Reader(&card).number("number", number);
    view.cards.push_back(number);
  });
  const JsonValue* environment = lease.find("environment");
  const auto* object = environment == nullptr ? nullptr : environment->as<JsonObject>();
  for (const auto& [name, value] : object != nullptr ? *object : JsonObject{}) {
    if (const auto* text = value.as<std::string>()) view.environment.emplace_back(name, *text);
  }
  return view;
}

Result<LeaseView> parse_lease_view(const std::string& body) {
  auto value = parse_json(body);
  if (!value) return failure(ErrorCode::kInternal, "the daemon's answer cannot be read");
  return lease_of(Reader(&*value).inner("lease"));
}

}  // namespace gpusched::cli
