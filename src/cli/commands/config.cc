#include "config/config_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>

#include "base/text.h"
#include "cli/commands/verbs.h"
#include "cli/config_check.h"
#include "cli/display.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "cli/submit/defaults.h"
#include "cli/submit/origin.h"
#include "cli/submit/submission.h"
#include "cli/submit/submit_flags.h"
#include "cli/views/view_reader.h"
#include "json/json_writer.h"
#include "wire/messages/machine.h"
#include "wire/messages/settings.h"

namespace gpusched::cli {
namespace {

constexpr std::array kConfigFlags = {
    Flag{"--config", 0, FlagKind::kValue, "FILE", "this file instead of the standard ones",
         Offer::kFiles},
    Flag{"--defaults", 0, FlagKind::kSwitch, "",
         "the commented sample: every setting, its default"},
    Flag{"--submit", 0, FlagKind::kSwitch, "",
         "what submit and run ask for by default here, and where that is written"},
    Flag{"--running", 0, FlagKind::kSwitch, "", "what the daemon uses now (administrators)"},
    Flag{"--origins", 0, FlagKind::kSwitch, "",
         "the same one by one, and where each comes from (operators, too)"},
};
constexpr std::array<FlagSection, 3> kConfigSections = {FlagSection{"What", kConfigFlags},
                                                        FlagSection{"Trying out", kDryRunFlags},
                                                        FlagSection{"General", kCommonFlags}};

int print_text(const Arguments& arguments, const std::string& path, const std::string& text) {
  std::string out = text;
  if (arguments.has("--json")) {
    out.clear();
    JsonWriter json(out);
    json.begin_object().field("schema", 1).key("file").text_or_null(path);
    json.field("config", text).end_object();
    out += "\n";
  }
  auto done = print(out);
  return done ? kExitOk : fail(done.error());
}

struct SubmitDefaults {
  std::vector<FlagValue> applied;
  std::vector<std::string> files;
};

// As submit itself would, with a command that says nothing.
Result<void> check_defaults(Arguments values, const Surroundings& around,
                            const std::vector<FlagValue>& taken) {
  values.command = {"true"};
  auto submission = read_submission(values, around, {});
  auto good =
      submission ? check_submission(*submission) : Result<void>(failure(submission.error()));
  if (!good) return failure(with_origin(good.error(), taken));
  return {};
}

Result<SubmitDefaults> submit_defaults() {
  auto around = surroundings();
  if (!around) return failure(around.error());
  auto defaults = find_defaults(defaults_asked(around->working_directory, process_environment()),
                                kSubmitSections);
  if (!defaults) return failure(defaults.error());
  for (const std::string& words : defaults->passed_over) note(words);
  Arguments values;
  const std::vector<FlagValue> taken = fill_from_defaults(values, *defaults);
  if (auto good = check_defaults(values, *around, taken); !good) return failure(good.error());
  SubmitDefaults found;
  for (const DefaultsFile& file : defaults->files) found.files.push_back(file.path);
  for (const FlagSection& section : kSubmitSections) {
    for (const Flag& flag : section.flags) {
      for (const FlagValue* value : values.all(flag.name)) found.applied.push_back(*value);
    }
  }
  return found;
}

int show_submit(const Arguments& arguments) {
  const auto found = submit_defaults();
  if (!found) return fail(found.error());
  const std::vector<FlagValue>* applied = &found->applied;
  std::string out;
  if (arguments.has("--json")) {
    JsonWriter json(out);
    json.begin_object().field("schema", 1).key("defaults").begin_array();
    for (const FlagValue& value : *applied) {
      json.begin_object().field("flag", value.flag->name).field("value", value.text);
      json.field("from", value.where).end_object();
    }
    json.end_array().end_object();
    out += "\n";
  } else if (applied->empty() && !found->files.empty()) {
    note(fmt::format("there are no defaults: {} sets nothing", fmt::join(found->files, " or ")));
  } else if (applied->empty()) {
    note(
        "there are no defaults: no gpusched.yaml in this directory or above it, and no "
        "~/.config/gpusched/submit.yaml");
  }
  std::size_t widest = 0;
  std::vector<std::string> lines;
  for (const FlagValue& value : *applied) {
    const bool fact = value.flag->kind != FlagKind::kValue && value.text.empty();
    lines.push_back(
        escaped(fmt::format("{}: {}", value.flag->name.substr(2), fact ? "true" : value.text)));
    widest = std::max(widest, lines.back().size());
  }
  for (std::size_t i = 0; !arguments.has("--json") && i < lines.size(); ++i) {
    out += fmt::format("{:<{}}  # {}\n", lines[i], widest, escaped((*applied)[i].where));
  }
  auto done = print(out);
  return done ? kExitOk : fail(done.error());
}

// "off  # /etc/gpusched/gpusched.yaml:12"
std::string origin_words(const wire::Settings& all, const wire::Setting& one) {
  std::string words =
      one.from == "file" && one.line ? fmt::format("{}:{}", all.file, *one.line) : one.from;
  if (one.from != "default" && one.value != one.standard &&
      one.standard.find('\n') == std::string::npos) {
    words += fmt::format("; default {}", one.standard);
  }
  if (!one.at_restart) return words;
  const bool list = one.waits.find('\n') != std::string::npos;
  return words + fmt::format("; {} at the next restart", list ? "changes" : one.waits);
}

int show_origins(const Arguments& arguments) {
  const Request request{.target = "/v1/settings"};
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto body = client.call(request);
  if (!body) return fail(body.error());
  const auto view = parse_message<wire::Settings>(*body);
  if (!view) return fail(view.error());
  if (view->file.empty()) note("there is no configuration file");
  constexpr std::size_t kWidest = 40;  // What is longer pushes its own remark only.
  std::string out;
  for (const wire::Setting& one : view->settings) {
    const std::string origin = escaped(origin_words(*view, one));
    if (one.value.find('\n') == std::string::npos) {
      out += fmt::format("{:<{}}  # {}\n", escaped(one.name + ": " + one.value), kWidest, origin);
      continue;
    }
    out += fmt::format("{:<{}}  # {}\n", one.name + ":", kWidest, origin);
    for (const std::string_view line : split_nonempty(one.value, '\n')) {
      out += escaped(std::string(line)) + "\n";
    }
  }
  auto done = print(out);
  return done ? kExitOk : fail(done.error());
}

int show(const Arguments& arguments, const std::string& given) {
  if (arguments.has("--origins")) return show_origins(arguments);
  if (arguments.has("--submit")) return show_submit(arguments);
  if (arguments.has("--defaults")) return print_text(arguments, "", default_config_text());
  if (arguments.has("--running")) {
    auto text = client_of(arguments).call({.target = "/v1/config"});
    return text ? print_text(arguments, "", *text) : fail(text.error());
  }
  auto found = find_config(given, process_environment(), ::geteuid() == 0);
  if (!found) return fail(found.error());
  if (found->path.empty()) note("there is no configuration file; these are the defaults");
  return print_text(arguments, found->path, config_text(found->config));
}

int check(const Arguments& arguments, const std::string& given) {
  auto found = find_config(given, process_environment(), ::geteuid() == 0);
  if (!found) return fail(found.error());
  if (arguments.has("--json"))
    return print_text(arguments, found->path, config_text(found->config));
  const ConfigFindings named = look_for_what_it_names(found->config);
  for (const std::string& words : named.notes) note(escaped(words));
  if (!named.wrong.empty()) {
    for (std::size_t i = 1; i < named.wrong.size(); ++i) note(escaped(named.wrong[i]));
    return fail({ErrorCode::kInvalid, escaped(named.wrong.front())});
  }
  note(found->path.empty() ? "there is no configuration file; the defaults hold"
                           : found->path + " is right");
  return kExitOk;
}

int reload(const Arguments& arguments) {
  const Request request{
      .method = "POST", .target = "/v1/config/reload" + dry_run_query(arguments), .body = "{}"};
  const Client client = client_of(arguments);
  if (arguments.has("--json")) return pass_through(client, request);
  auto body = client.call(request);
  if (!body) return fail(body.error());
  auto view = parse_message<wire::ConfigReloaded>(*body);
  if (!view) return fail(view.error());
  std::string lines;
  bool waits = false;
  for (const wire::ConfigChange& change : view->changes) {
    // A list is too long for a line.
    const bool list = (change.from + change.to).find('\n') != std::string::npos;
    lines += list ? change.setting + ": changed"
                  : escaped(fmt::format("{}: {} → {}", change.setting, change.from, change.to));
    lines += change.at_restart ? "  (at the next restart)\n" : "\n";
    waits = waits || change.at_restart;
  }
  if (auto done = print(lines); !done) return fail(done.error());
  for (const std::string& warning : view->warnings) note(escaped(warning));
  if (view->changes.empty()) {
    note(view->file.empty() ? "there is no configuration file; the defaults hold already"
                            : "nothing differs from " + view->file);
  } else if (arguments.has("--dry-run")) {
    note("would change this; nothing was changed");
  } else if (waits) {
    note("marked settings wait for a restart of the daemon; running jobs go on during one");
  }
  return kExitOk;
}

int run_config(const Arguments& arguments) {
  const auto& words = arguments.operands;
  const std::string action = words.empty() ? "show" : words[0];
  // `config check FILE` says the same as `config check --config FILE`.
  const std::string given = words.size() == 2 ? words[1] : arguments.text("--config");
  if (words.size() > 2 || (words.size() == 2 && arguments.has("--config"))) {
    return fail({ErrorCode::kInvalid, "name one configuration file"});
  }
  const bool asks = arguments.has("--running") || arguments.has("--origins");
  const bool of_files =
      action == "check" || (action == "show" && !asks && !arguments.has("--submit"));
  if (arguments.has("--server") && of_files) {
    return fail({ErrorCode::kInvalid,
                 fmt::format("config {} reads files of this machine; 'config show --running' shows "
                             "what the daemon of another one uses",
                             action)});
  }
  if (action == "show") return show(arguments, given);
  if (action == "check") return check(arguments, given);
  if (action == "reload") {
    if (!given.empty()) {
      return fail({ErrorCode::kInvalid, "the daemon reads the file with which it was started"});
    }
    return reload(arguments);
  }
  return fail({ErrorCode::kInvalid,
               fmt::format("config has no '{}'; it has show, check and reload", action)});
}

}  // namespace

constinit const Verb kConfigVerb = {
    .name = "config",
    .summary = "show, check or reload the daemon's configuration; the defaults of submit",
    .usage = "config [show | check | reload] [FILE] [FLAGS]",
    .about =
        "Shows and checks without a daemon; 'config reload' tells a running one to read its file\n"
        "again (administrators), and prints what differs. Errors are given with line and column. "
        "'config show --submit' "
        "tells\n"
        "what gpusched.yaml, here or above, and ~/.config/gpusched/submit.yaml add to every "
        "submit.",
    .examples =
        "gpusched config show --defaults > gpusched.yaml\n"
        "gpusched config check /etc/gpusched/gpusched.yaml\n"
        "gpusched config show --submit\n"
        "gpusched config show --origins\n"
        "gpusched config reload --dry-run",
    .sections = kConfigSections,
    .operands = Operands::kWords,
    .words = "show check reload",
    .run = run_config,
};

}  // namespace gpusched::cli
