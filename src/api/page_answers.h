// The page for browsers: its files, to whoever asks, because they hold nothing of this machine.
// What it shows it asks of the API, as everybody does. Its policy lets it load nothing from
// elsewhere and run nothing that is not one of its files.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/types.h"
#include "page/page_file.h"

namespace gpusched {

class PageAnswers {
 public:
  // REQUIRES: the files are there for ever. Empty: the answer says how to get them.
  explicit PageAnswers(std::span<const PageFile> files) : files_(files) {}

  // Nullopt: what is asked for is none of the page's.
  std::optional<HttpResponse> answer(const HttpRequest& request);

 private:
  const PageFile* find(std::string_view path) const;
  HttpResponse file_answer(const PageFile& file, const HttpRequest& request);

  std::span<const PageFile> files_;
  std::map<std::string_view, std::string> plain_;  // For clients without gzip, once one has asked.
};

}  // namespace gpusched
