#include "launcher/log_tail.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temporary_directory.h"

namespace gpusched::testing {
namespace {

TEST(LogTail, KnowsTheWordsOfTheLibraries) {
  for (const char* words :
       {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "failed to allocate 8.0G: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "ResourceExhaustedError: OOM when allocating tensor with shape[1,2]",
        "XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1 bytes.",
        "RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)",
        "cudaErrorMemoryAllocation"}) {
    EXPECT_TRUE(tells_of_gpu_memory(std::string("Traceback\n") + words + "\n")) << words;
  }
  EXPECT_FALSE(tells_of_gpu_memory(""));
  EXPECT_FALSE(tells_of_gpu_memory("RuntimeError: CUDA error: device-side assert triggered"));
  EXPECT_FALSE(tells_of_gpu_memory("MemoryError: out of memory"));
}

TEST(LogTail, ReadsOnlyWhatCameAfterItWasOpenedAndOnlyTheEnd) {
  const TemporaryDirectory directory;
  const std::string path = directory / "log";
  const std::string before = "CUDA out of memory, in an attempt before\n";
  std::ofstream(path) << before;
  const LogTail tail(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), before.size());
  EXPECT_EQ(tail.read(), "");
  std::ofstream(path, std::ios::app) << "all is well\n";
  EXPECT_EQ(tail.read(), "all is well\n");
  std::ofstream(path, std::ios::app) << std::string(100'000, 'x') << "the end\n";
  EXPECT_LT(tail.read().size(), 20'000u);
  EXPECT_TRUE(tail.read().ends_with("xthe end\n"));
  EXPECT_EQ(LogTail({}, 0).read(), "");
}

}  // namespace
}  // namespace gpusched::testing
