#include "notify/secret_files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "os/fd.h"

namespace gpusched {
namespace {

constexpr std::size_t kSecretMost = 16U << 10;
constexpr std::size_t kCertificatesMost = 256U << 10;

tl::unexpected<Error> cannot_read(const std::string& path, const std::string& why) {
  return failure(ErrorCode::kIo, "read " + path + ": " + why);
}

Result<std::string> file_text(const std::string& path, std::size_t most) {
  if (path.empty()) return std::string();
  // Of a pipe nobody knows when it ends.
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return cannot_read(path, std::strerror(errno));
  struct stat seen {};
  if (::fstat(file.get(), &seen) != 0 || !S_ISREG(seen.st_mode)) {
    return cannot_read(path, "it is not a plain file");
  }
  std::string text(most + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + length, text.size() - length);
    if (got < 0) return cannot_read(path, std::strerror(errno));
    if (got == 0) break;
    length += static_cast<std::size_t>(got);
  }
  if (length > most) return cannot_read(path, "it is too large");
  text.resize(length);
  if (!is_utf8(text)) return cannot_read(path, "it is not text");
  return text;
}

Result<std::string> one_line(const std::string& path) {
  auto text = file_text(path, kSecretMost);
  if (!text || path.empty()) return text;
  std::string line(trimmed(*text));
  if (line.empty()) return cannot_read(path, "it is empty");
  if (line.find('\n') != std::string::npos) return cannot_read(path, "it has more than one line");
  return line;
}

}  // namespace

Result<ReadSecrets> read_secrets(const Receiver& receiver) {
  auto url = one_line(receiver.url_file);
  if (!url) return failure(url.error());
  auto secret = one_line(receiver.secret_file);
  if (!secret) return failure(secret.error());
  auto ca = file_text(receiver.ca_file, kCertificatesMost);
  if (!ca) return failure(ca.error());
  return ReadSecrets{receiver.url_file.empty() ? receiver.url : std::move(*url), std::move(*secret),
                     std::move(*ca)};
}

}  // namespace gpusched
