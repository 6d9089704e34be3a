#include "cli/render/render.h"
#include "cli/table.h"

namespace gpusched::cli {

std::string render_tokens(const std::vector<wire::Token>& tokens, const Page& page) {
  Table table({{"ID"},
               {"USER"},
               {"ROLE"},
               {"TENANT", false, 0, 2},
               {"LAST USE"},
               {"EXPIRES"},
               {"MADE", false, 0, 1},
               {"NAME", false, 6}});
  for (const wire::Token& one : tokens) {
    const auto time = [&page](const std::optional<Wall>& at, const char* without) {
      return at ? local_time(*at, page) : std::string(without);
    };
    table.add({{one.id},
               {one.user},
               {one.role},
               {one.tenant},
               {time(one.used_at, "never")},
               {one.expired ? "expired" : time(one.expires_at, "never")},
               {time(one.made_at, "")},
               {one.name}});
  }
  return table.text(page.width, page.colour);
}

}  // namespace gpusched::cli
