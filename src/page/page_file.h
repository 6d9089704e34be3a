// The files of the page (web/) as values in the program: nothing is looked for on disk, and no path
// of a request leads anywhere else. A build without npm has none.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace gpusched {

struct PageFile {
  std::string_view path;  // "index.html", "assets/index-4f2a.js"; below assets/ a name is forever.
  std::string_view type;  // Its content type.
  std::string_view tag;   // Its version, as an ETag.
  std::span<const unsigned char> gzip;
  std::size_t bytes = 0;  // When it is not compressed.
};

// In the order of their paths; empty: this build has no page.
std::span<const PageFile> page_files();

}  // namespace gpusched
