// Names and sentences of error codes.
#include <array>

#include "simdriver/cuda/abi.h"

namespace cuda = gpusched::simdriver::cuda;

namespace {

struct Words {
  int code;
  const char* name;
  const char* sentence;
};

constexpr std::array kWords = {
    Words{cuda::kSuccess, "CUDA_SUCCESS", "no error"},
    Words{cuda::kInvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    Words{cuda::kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    Words{cuda::kNotInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    Words{cuda::kDeviceUnavailable, "CUDA_ERROR_DEVICE_UNAVAILABLE",
          "CUDA-capable device(s) is/are busy or unavailable"},
    Words{cuda::kNoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    Words{cuda::kInvalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    Words{cuda::kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    Words{cuda::kEccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE",
          "uncorrectable ECC error encountered"},
    Words{cuda::kOperatingSystem, "CUDA_ERROR_OPERATING_SYSTEM",
          "OS call failed or operation not "
          "supported on this OS"},
    Words{cuda::kIllegalState, "CUDA_ERROR_ILLEGAL_STATE",
          "the operation cannot be performed in the present state"},
    Words{cuda::kNotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    Words{cuda::kNotReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    Words{cuda::kNotSupported, "CUDA_ERROR_NOT_SUPPORTED", "operation not supported"},
    Words{cuda::kSystemDriverMismatch, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
          "system has unsupported display driver / cuda driver combination"},
    Words{cuda::kUnknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

int look_up(int code, const char** text, const char* Words::*part) {
  if (text == nullptr) return cuda::kInvalidValue;
  for (const Words& words : kWords) {
    if (words.code != code) continue;
    *text = words.*part;
    return cuda::kSuccess;
  }
  *text = nullptr;
  return cuda::kInvalidValue;
}

}  // namespace

extern "C" {

int cuGetErrorString(int code, const char** text) { return look_up(code, text, &Words::sentence); }
int cuGetErrorName(int code, const char** text) { return look_up(code, text, &Words::name); }

}  // extern "C"
