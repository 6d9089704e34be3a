#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>

#include "cli/commands/verbs.h"
#include "cli/own_names.h"
#include "cli/own_programs.h"
#include "cli/said_by.h"
#include "cli/session.h"
#include "cli/shared_flags.h"
#include "json/json_writer.h"
#include "os/locations.h"

namespace gpusched::cli {
namespace {

constexpr std::array kCertFlags = {
    Flag{"--out", 0, FlagKind::kValue, "DIR", "where the files go; else beside the configuration",
         Offer::kFiles},
    Flag{"--replace", 0, FlagKind::kSwitch, "", "in place of the files that are there"},
};
constexpr std::array kCertGeneralFlags = {
    Flag{"--dry-run", 0, FlagKind::kSwitch, "", "say what would be done, change nothing"},
    Flag{"--json", 0, FlagKind::kSwitch, "", "print files, names and fingerprint as JSON"},
    Flag{"--help", 'h', FlagKind::kSwitch, "", "this text"},
};
constexpr std::array<FlagSection, 2> kCertSections = {FlagSection{"Files", kCertFlags},
                                                      FlagSection{"General", kCertGeneralFlags}};

struct CertPlan {
  std::string directory, certificate, key;
  std::vector<std::string> names;
};

// ~/.config may not be there either. Failure is ignored: who writes there says why it does not go.
void make_directory(const std::string& path) {
  const mode_t mode = ::geteuid() == 0 ? 0755 : 0700;
  (void)::mkdir(path.substr(0, path.rfind('/')).c_str(), mode);
  (void)::mkdir(path.c_str(), mode);
}

Result<CertPlan> plan_of(const Arguments& arguments) {
  CertPlan plan{.names = arguments.operands};
  if (plan.names.empty()) plan.names = own_names();
  if (const FlagValue* out = arguments.find("--out")) {
    plan.directory = out->text;
    if (plan.directory.empty()) return failure(ErrorCode::kInvalid, "--out is empty");
  } else {
    const auto files = config_files(process_environment(), ::geteuid() == 0);
    if (files.empty()) return failure(ErrorCode::kInvalid, "say where the files go: --out DIR");
    plan.directory = files.front().substr(0, files.front().rfind('/'));
    if (!arguments.has("--dry-run")) make_directory(plan.directory);
  }
  std::array<char, PATH_MAX> whole{};
  if (::realpath(plan.directory.c_str(), whole.data()) != nullptr) {
    plan.directory = whole.data();
  } else if (arguments.has("--out") || !arguments.has("--dry-run")) {
    return failure(ErrorCode::kNotFound,
                   fmt::format("{}: {}", plan.directory, std::strerror(errno)));
  }
  plan.certificate = plan.directory + "/gpusched.crt";
  plan.key = plan.directory + "/gpusched.key";
  for (const std::string& file : {plan.certificate, plan.key}) {
    if (arguments.has("--replace") || ::access(file.c_str(), F_OK) != 0) continue;
    return failure(ErrorCode::kConflict,
                   fmt::format("{} is there already; --replace makes a new one", file));
  }
  return plan;
}

Result<SaidBy> make_files(const CertPlan& plan) {
  std::vector<std::string> command{program_beside("gpusched-tls").value_or("gpusched-tls"), "cert",
                                   plan.certificate, plan.key};
  command.insert(command.end(), plan.names.begin(), plan.names.end());
  return said_by(command);
}

std::string json_of(const CertPlan& plan, const std::string& fingerprint) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().field("schema", 1).field("certificate", plan.certificate);
  json.field("key", plan.key).field("fingerprint", fingerprint).end_object();
  return text + "\n";
}

int run_cert(const Arguments& arguments) {
  auto plan = plan_of(arguments);
  if (!plan) return fail(plan.error());
  const std::string what = fmt::format("a certificate for {}: {} and {}",
                                       fmt::join(plan->names, ", "), plan->certificate, plan->key);
  if (arguments.has("--dry-run")) {
    note("would make " + what);
    return kExitOk;
  }
  const auto made = make_files(*plan);
  if (!made) return fail(made.error());
  // It has said itself what went wrong.
  if (made->exit_code != 0) return made->exit_code;
  const bool json = arguments.has("--json");
  auto done = print(json ? json_of(*plan, made->text) : made->text + "\n");
  if (!done) return fail(done.error());
  if (json) return kExitOk;
  note("made " + what);
  note(
      fmt::format("the daemon uses it with network: {{listen: [\"0.0.0.0:7340\"], certificate: "
                  "{}, key: {}}}",
                  plan->certificate, plan->key));
  return kExitOk;
}

}  // namespace

constinit const Verb kCertVerb = {
    .name = "cert",
    .summary = "make a certificate, so that other machines can reach the daemon",
    .usage = "cert [NAME…] [FLAGS]",
    .about =
        "Makes gpusched.crt and gpusched.key: signed by itself, for ten years, for the names and\n"
        "addresses given, else those of this machine. Prints its fingerprint (SHA-256), by which\n"
        "clients know it.",
    .examples =
        "gpusched cert\n"
        "gpusched cert box.lab 10.0.0.7 --out /etc/gpusched",
    .sections = kCertSections,
    .operands = Operands::kWords,
    .run = run_cert,
};

}  // namespace gpusched::cli
