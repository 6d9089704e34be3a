#include "cli/views/reload_view.h"

#include "cli/views/view_reader.h"

namespace gpusched::cli {

Result<ReloadedView> parse_reloaded(const std::string& body) {
  auto value = parse_json(body);
  if (!value) return failure(ErrorCode::kInternal, "the daemon's answer cannot be read");
  const Reader answer(&*value);
  ReloadedView view;
  answer.text("file", view.file);
  answer.each("changes", [&](const JsonValue& entry) {
    SettingView change;
    const Reader fields(&entry);
    fields.text("setting", change.setting);
    fields.text("from", change.from);
    fields.text("to", change.to);
    fields.fact("at_restart", change.at_restart);
    view.changes.push_back(std::move(change));
  });
  return view;
}

}  // namespace gpusched::cli
