#include "launcher/log_tail.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace gpusched {
namespace {

constexpr std::uint64_t kTail = 16 * 1024;
// PyTorch; the driver's own name, which TensorFlow, JAX, CuPy and Numba pass on; the runtime's;
// TensorFlow and JAX; libraries that could not get their workspace; RMM; llama.cpp.
constexpr std::string_view kWords[] = {
    "CUDA out of memory",         "CUDA error: out of memory",         "HIP out of memory",
    "torch.OutOfMemoryError",     "CUDA_ERROR_OUT_OF_MEMORY",          "cudaErrorMemoryAllocation",
    "OOM when allocating tensor", "RESOURCE_EXHAUSTED: Out of memory", "CUBLAS_STATUS_ALLOC_FAILED",
    "CUDNN_STATUS_ALLOC_FAILED",  "cudaMalloc failed: out of memory",  "out_of_memory: CUDA error",
    "torch.cuda.OutOfMemoryError"};

}  // namespace

bool tells_of_gpu_memory(std::string_view text) {
  return std::ranges::any_of(
      kWords, [text](std::string_view words) { return text.find(words) != text.npos; });
}

std::string LogTail::read(int file, std::uint64_t from) {
  struct stat about {};
  if (file < 0 || ::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return {};
  const auto size = static_cast<std::uint64_t>(about.st_size);
  // A file that was emptied meanwhile has only new things in it.
  if (from > size) from = 0;
  from = std::max(from, size - std::min(size, kTail));
  std::string text(size - from, '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), static_cast<off_t>(from));
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace gpusched
