"""A client of the management library that keeps its session open: one call per line on stdin, as
JSON [function, card, …], one answer per line on stdout, as JSON [code, value]."""

import ctypes
import json
import struct
import sys

OUTPUTS = {
    "nvmlDeviceGetPowerUsage": ctypes.c_uint, "nvmlDeviceGetPersistenceMode": ctypes.c_uint,
    "nvmlDeviceGetAccountingMode": ctypes.c_uint, "nvmlDeviceGetFanSpeed": ctypes.c_uint,
    "nvmlDeviceGetComputeMode": ctypes.c_uint,
    "nvmlDeviceGetTotalEnergyConsumption": ctypes.c_ulonglong,
    "nvmlDeviceGetCurrentClocksEventReasons": ctypes.c_ulonglong,
    "nvmlDeviceGetUtilizationRates": ctypes.c_uint * 2,
    "nvmlDeviceGetMemoryInfo": ctypes.c_ulonglong * 3,
}


class Client:
    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.events = ctypes.c_void_p()

    def handle(self, card):
        handle = ctypes.c_void_p()
        code = self.library.nvmlDeviceGetHandleByIndex_v2(card, ctypes.byref(handle))
        return code, handle

    def plain(self, function, card):
        value = OUTPUTS[function]()
        code = getattr(self.library, function)(self.handles[card], ctypes.byref(value))
        return [code, list(value) if hasattr(value, "__len__") else value.value]

    def init(self):
        """Starts, and keeps the handles of all cards as they are now."""
        code = self.library.nvmlInit_v2()
        count = ctypes.c_uint()
        self.library.nvmlDeviceGetCount_v2(ctypes.byref(count))
        self.handles = [self.handle(card)[1] for card in range(count.value)]
        return [code, count.value]

    def open(self, card):
        return [self.handle(card)[0], None]

    def shutdown(self):
        return [self.library.nvmlShutdown(), None]

    def temperature(self, card):
        value = ctypes.c_uint()
        code = self.library.nvmlDeviceGetTemperature(self.handles[card], 0, ctypes.byref(value))
        return [code, value.value]

    def ecc(self, card, kind):
        value = ctypes.c_ulonglong()
        code = self.library.nvmlDeviceGetTotalEccErrors(self.handles[card], kind, 0,
                                                        ctypes.byref(value))
        return [code, value.value]

    def rows(self, card):
        values = [ctypes.c_uint() for _ in range(4)]
        code = self.library.nvmlDeviceGetRemappedRows(self.handles[card], *map(ctypes.byref, values))
        return [code, [value.value for value in values]]

    def mig(self, card):
        now, pending = ctypes.c_uint(), ctypes.c_uint()
        code = self.library.nvmlDeviceGetMigMode(self.handles[card], ctypes.byref(now),
                                                 ctypes.byref(pending))
        return [code, now.value]

    def memory_v2(self, card, version):
        memory = struct.pack("<I36x", version)
        buffer = ctypes.create_string_buffer(memory, 40)
        code = self.library.nvmlDeviceGetMemoryInfo_v2(self.handles[card], buffer)
        return [code, list(struct.unpack("<4Q", buffer.raw[8:40]))]

    def processes(self, card, room, kind="Compute"):
        """Code, count and how many bytes each entry has, by how far the buffer was written."""
        count = ctypes.c_uint(room)
        buffer = ctypes.create_string_buffer(b"\xaa" * 4096, 4096)
        function = getattr(self.library, f"nvmlDeviceGet{kind}RunningProcesses_v3")
        code = function(self.handles[card], ctypes.byref(count), buffer)
        written = len(buffer.raw.rstrip(b"\xaa"))
        stride = written // count.value if code == 0 and count.value else 0
        found = [struct.unpack_from("<IxxxxQ", buffer.raw, i * stride) for i in range(count.value)
                 ] if stride else []
        return [code, {"count": count.value, "stride": stride, "entries": found}]

    def field(self, card, number):
        value = ctypes.create_string_buffer(struct.pack("<I36x", number), 40)
        code = self.library.nvmlDeviceGetFieldValues(self.handles[card], 1, value)
        own, bits = struct.unpack("<iQ", value.raw[28:40])
        return [code or own, bits]

    def gpm(self, card):
        samples = [ctypes.c_void_p(), ctypes.c_void_p()]
        for sample in samples:
            self.library.nvmlGpmSampleAlloc(ctypes.byref(sample))
        codes = [self.library.nvmlGpmSampleGet(self.handles[card], sample) for sample in samples]
        if any(codes):
            return [codes[0], None]
        get = ctypes.create_string_buffer(
            struct.pack("<IIQQ", 1, 2, samples[0].value, samples[1].value)
            + struct.pack("<I36x", 2) + struct.pack("<I36x", 10), 104)
        code = self.library.nvmlGpmMetricsGet(get)
        return [code, [struct.unpack_from("<d", get.raw, 24 + 40 * i + 8)[0] for i in range(2)]]

    def account(self, card, pid):
        stats = ctypes.create_string_buffer(56)
        code = self.library.nvmlDeviceGetAccountingStats(self.handles[card], pid, stats)
        busy, _, peak, run_ms, _, running = struct.unpack_from("<IIQQQI", stats.raw)
        return [code, {"busy": busy, "peak": peak, "run_ms": run_ms, "running": running}]

    def register(self, card, types):
        if not self.events.value:
            self.library.nvmlEventSetCreate(ctypes.byref(self.events))
        return [self.library.nvmlDeviceRegisterEvents(self.handles[card], ctypes.c_ulonglong(types),
                                                      self.events), None]

    def wait_event(self, timeout_ms):
        event = ctypes.create_string_buffer(32)
        code = self.library.nvmlEventSetWait_v2(self.events, event, timeout_ms)
        device, kind, value = struct.unpack_from("<QQQ", event.raw)
        cards = [i for i, handle in enumerate(self.handles) if handle.value == device]
        return [code, {"card": cards[0] if cards else None, "type": kind, "value": value}]


def main():
    client = Client()
    for line in sys.stdin:
        name, *arguments = json.loads(line)
        call = (lambda *a: client.plain(name, *a)) if name in OUTPUTS else getattr(client, name)
        print(json.dumps(call(*arguments)), flush=True)


if __name__ == "__main__":
    main()
