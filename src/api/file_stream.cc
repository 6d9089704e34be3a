#include "api/file_stream.h"

#include <unistd.h>

#include <memory>
#include <utility>

namespace gpusched {
namespace {

constexpr std::size_t kFilePieceBytes = 256U << 10;

struct FileAnswer : std::enable_shared_from_this<FileAnswer> {
  FileAnswer(Context& a_context, Fd a_file, Responder a_responder)
      : context(a_context),
        file(std::make_shared<Fd>(std::move(a_file))),
        responder(std::move(a_responder)) {}

  Context& context;
  std::shared_ptr<Fd> file;
  Responder responder;
  std::uint64_t offset = 0;
  std::string ready;
  bool reading = false, ended = false, failed = false;

  Pull pull(std::string& out) {
    if (failed) return Pull::kAbort;
    if (!ready.empty()) {
      out = std::exchange(ready, {});
      read();
      return Pull::kMore;
    }
    if (ended) return Pull::kEnd;
    read();
    return Pull::kWait;
  }

  void read() {
    if (reading || ended) return;
    reading = true;
    context.files.post(0, [weak = weak_from_this(), fd = file, at = offset]() -> Background::Then {
      std::string piece(kFilePieceBytes, '\0');
      const ssize_t got = ::pread(fd->get(), piece.data(), piece.size(), static_cast<off_t>(at));
      piece.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
      return [weak, got, piece = std::move(piece)]() mutable {
        if (const auto self = weak.lock()) self->take(got, std::move(piece));
      };
    });
  }

  void take(ssize_t got, std::string piece) {
    reading = false;
    offset += piece.size();
    ready = std::move(piece);
    ended = got == 0;
    failed = got < 0;
    responder.wake();
  }
};

}  // namespace

void send_file(Context& context, Fd file, const Responder& responder) {
  auto answer = std::make_shared<FileAnswer>(context, std::move(file), responder);
  HttpResponse response;
  response.content_type = "application/octet-stream";
  response.stream = [answer](std::string& out) { return answer->pull(out); };
  responder.send(std::move(response));
}

}  // namespace gpusched
