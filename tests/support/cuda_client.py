"""One call of the CUDA driver's checkpoint interface on another process: prints its code.
    cuda_client.py lock PID [TIMEOUT_MS] | checkpoint PID | restore PID [OLD=NEW …] | unlock PID |
                   state PID | thread PID | find SYMBOL | devices | fork"""

import ctypes
import os
import struct
import sys
import uuid

cuda = ctypes.CDLL("libcuda.so.1")


def lock(pid, timeout_ms="0"):
    return cuda.cuCheckpointProcessLock(int(pid), struct.pack("<I60x", int(timeout_ms)))


def restore(pid, *pairs):
    if not pairs:
        return cuda.cuCheckpointProcessRestore(int(pid), None)
    raw = b"".join(uuid.UUID(name.removeprefix("GPU-")).bytes
                   for pair in pairs for name in pair.split("="))
    buffer = ctypes.create_string_buffer(raw, len(raw))
    arguments = struct.pack("<QI52x", ctypes.addressof(buffer), len(pairs))
    return cuda.cuCheckpointProcessRestore(int(pid), arguments)


def look(call, pid):
    value = ctypes.c_int()
    code = call(int(pid), ctypes.byref(value))
    return f"{code} {value.value}"


def find(symbol):
    function, status = ctypes.c_void_p(), ctypes.c_int()
    cuda.cuGetProcAddress_v2(symbol.encode(), ctypes.byref(function), 13000, ctypes.c_uint64(0),
                             ctypes.byref(status))
    return status.value


def devices():
    count = ctypes.c_int()
    cuda.cuDeviceGetCount(ctypes.byref(count))
    found = []
    for number in range(count.value):
        raw = ctypes.create_string_buffer(16)
        cuda.cuDeviceGetUuid_v2(raw, number)
        found.append(f"GPU-{uuid.UUID(bytes=raw.raw)}")
    return ",".join(found)


def say(text):
    """A line in one piece: two processes write to the same pipe."""
    os.write(1, f"{text}\n".encode())


def take(bytes_):
    context, address = ctypes.c_void_p(), ctypes.c_uint64()
    cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    cuda.cuCtxSetCurrent(context)
    return cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(bytes_))


def fork():
    """Parent and child take 1 GiB each; the child needs cuInit of its own. Waits on stdin."""
    assert take(1 << 30) == 0
    child = os.fork()
    if child == 0:
        before = cuda.cuCtxSynchronize()
        assert cuda.cuInit(0) == 0 and take(1 << 30) == 0
        say(f"child {os.getpid()} {before}")
        sys.stdin.read()
        os._exit(0)
    return f"parent {os.getpid()}"


ACTIONS = {
    "lock": lock, "restore": restore, "find": find, "devices": devices, "fork": fork,
    "checkpoint": lambda pid: cuda.cuCheckpointProcessCheckpoint(int(pid), None),
    "unlock": lambda pid: cuda.cuCheckpointProcessUnlock(int(pid), None),
    "state": lambda pid: look(cuda.cuCheckpointProcessGetState, pid),
    "thread": lambda pid: look(cuda.cuCheckpointProcessGetRestoreThreadId, pid),
}

if __name__ == "__main__":
    started = cuda.cuInit(0)
    if started != 0:
        print(f"cuInit {started}")
    else:
        say(ACTIONS[sys.argv[1]](*sys.argv[2:]))
        if sys.argv[1] == "fork":
            sys.stdin.read()
