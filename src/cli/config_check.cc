#include "cli/config_check.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/own_programs.h"
#include "cli/said_by.h"
#include "os/tcp_address.h"

namespace gpusched::cli {
namespace {

constexpr int kNotFoundByGetent = 2;

void look_at_addresses(const NetworkSettings& network, ConfigFindings& found) {
  for (const std::string& text : network.listen) {
    const auto address = parse_tcp_address(text);
    if (!address) continue;  // The file would be refused.
    const auto had = bind_tcp(*address, true);
    if (had) continue;
    const std::string& why = had.error().message;
    if (why.ends_with(std::strerror(EADDRINUSE))) {
      found.notes.push_back(text + " is in use; by the daemon itself, if it runs already");
    } else if (why.ends_with(std::strerror(EACCES))) {
      found.notes.push_back(text + " can only be tried by root");
    } else {
      found.wrong.push_back("network.listen: " + why);
    }
  }
}

void look_at_certificate(const NetworkSettings& network, ConfigFindings& found) {
  if (network.listen.empty() || network.certificate.empty()) return;
  for (const std::string& file : {network.certificate, network.key}) {
    if (::access(file.c_str(), R_OK) == 0) continue;
    const std::string why = fmt::format("{}: {}", file, std::strerror(errno));
    const bool not_for_us = errno == EACCES && ::geteuid() != 0;
    if (!not_for_us) found.wrong.push_back("network: " + why);
    if (not_for_us) found.notes.push_back(why + "; ask as the user of the daemon");
    return;
  }
  const auto said = said_by({program_beside("gpusched-tls").value_or("gpusched-tls"), "check",
                             network.certificate, network.key});
  if (!said) {
    found.notes.push_back("the certificate was not looked at: " + said.error().message);
  } else if (said->exit_code != 0) {
    found.wrong.push_back("network: " + said->text);
  } else {
    found.notes.push_back("the fingerprint of the certificate is " + said->text);
  }
}

// This program is static and cannot ask the name service itself.
bool is_unknown(const char* database, const std::string& name) {
  const auto said = said_by({"getent", database, name});
  return said && said->exit_code == kNotFoundByGetent;
}

void look_for_names(const std::map<std::string, Role>& names, const char* database,
                    const char* what, ConfigFindings& found) {
  for (const auto& [name, role] : names) {
    if (!is_unknown(database, name)) continue;
    found.notes.push_back(fmt::format("roles: there is no {} '{}' on this machine", what, name));
  }
}

// Nothing would ever be sent without it.
void cannot_be_had(const std::string& what, ConfigFindings& found) {
  const int why = errno;
  const bool not_for_us = why == EACCES && ::geteuid() != 0;
  const std::string words = fmt::format("{}: {}", what, std::strerror(why));
  if (not_for_us) return found.notes.push_back(words + "; ask as the user of the daemon");
  found.wrong.push_back(words);
}

void look_at_program(const std::string& name, const Receiver& receiver, ConfigFindings& found) {
  if (receiver.command.empty()) return;
  const std::string what = fmt::format("receivers.{}: {}", name, receiver.command.front());
  struct stat seen {};
  constexpr mode_t kAnyExecutes = S_IXUSR | S_IXGRP | S_IXOTH;
  if (::stat(receiver.command.front().c_str(), &seen) != 0) {
    cannot_be_had(what, found);
  } else if (!S_ISREG(seen.st_mode) || (seen.st_mode & kAnyExecutes) == 0) {
    found.wrong.push_back(what + " is not a program that can be run");
  } else if ((seen.st_mode & S_IXOTH) == 0) {
    // The notifier of a daemon of root is nobody.
    found.notes.push_back(what + " cannot be run by everybody; a daemon of root runs it as nobody");
  }
}

// Who may read the file has the secret.
void look_at_secrets(const Receivers& receivers, ConfigFindings& found) {
  for (const auto& [name, receiver] : receivers) {
    look_at_program(name, receiver, found);
    if (!receiver.ca_file.empty() && ::access(receiver.ca_file.c_str(), F_OK) != 0) {
      cannot_be_had(fmt::format("receivers.{}: {}", name, receiver.ca_file), found);
    }
    for (const std::string& file : {receiver.url_file, receiver.secret_file}) {
      if (file.empty()) continue;
      struct stat seen {};
      const std::string what = fmt::format("receivers.{}: {}", name, file);
      if (::stat(file.c_str(), &seen) != 0) {
        cannot_be_had(what, found);
      } else if (!S_ISREG(seen.st_mode)) {
        found.wrong.push_back(what + " is not a plain file");
      } else if ((seen.st_mode & S_IRWXO) != 0) {
        found.notes.push_back(what + " can be read by everybody; chmod 600 it, it holds a secret");
      }
    }
  }
}

}  // namespace

ConfigFindings look_for_what_it_names(const Config& config) {
  ConfigFindings found;
  look_at_addresses(config.network, found);
  look_at_certificate(config.network, found);
  look_at_secrets(config.rules.known_receivers(), found);
  look_for_names(config.roles.users, "passwd", "user", found);
  look_for_names(config.roles.groups, "group", "group", found);
  for (const std::string& name : config.tenants.groups) {
    if (!is_unknown("group", name)) continue;
    found.notes.push_back(fmt::format("tenants: there is no group '{}' on this machine", name));
  }
  return found;
}

}  // namespace gpusched::cli
