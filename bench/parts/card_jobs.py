"""What the stages of bench/make_room run on a real card."""

# An ordinary PyTorch training with data-loader workers that knows nothing of gpusched: steps, GiB beside its
# model, result.
TRAIN = """
import hashlib, os, sys
os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
import torch
from torch.utils.data import DataLoader, Dataset
steps, gib, out = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
class Data(Dataset):
    def __len__(self):
        return steps * 64
    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        return torch.randn(1024, generator=g), torch.randn(10, generator=g)
torch.manual_seed(1)
torch.use_deterministic_algorithms(True)
held = torch.full((int(gib * 2**30) // 4,), 7, dtype=torch.int32, device="cuda")
model = torch.nn.Sequential(torch.nn.Linear(1024, 4096), torch.nn.ReLU(), torch.nn.Linear(4096, 10)).cuda()
optimizer = torch.optim.Adam(model.parameters())
for step, (x, y) in enumerate(DataLoader(Data(), batch_size=64, num_workers=2)):
    loss = ((model(x.cuda()) - y.cuda()) ** 2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    if step % 10 == 0:
        with open(out + ".step", "w") as f: f.write(str(step))
assert all(bool((part == 7).all()) for part in held.split(1 << 28)), "memory has changed"
digest = hashlib.sha256()
for p in model.parameters():
    digest.update(p.detach().cpu().numpy().tobytes())
with open(out, "w") as f: f.write(digest.hexdigest())
"""

# Holds memory without PyTorch: GiB, seconds, a file that gets the time at which it had it.
HOLD = """
import ctypes, sys, time
cuda = ctypes.CDLL("libcuda.so.1")
device, context, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device) == 0
code = cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(int(float(sys.argv[1]) * 2**30)))
assert code == 0, code
assert cuda.cuMemsetD8_v2(pointer, ctypes.c_ubyte(1), ctypes.c_size_t(1 << 20)) == 0
assert cuda.cuCtxSynchronize() == 0
open(sys.argv[3], "w").write(str(time.time()))
time.sleep(float(sys.argv[2]))
"""

# Training or inference of one of three models, by count, so that slowing down shows: a step, then the time in
# which an input would be prepared, up to 25 ms in all. The kind is in its file's name: GiB beside its model,
# steps.
WORK = """
import os, sys, time
import torch
from torch import nn
torch.set_num_threads(1)
doing, kind = os.path.basename(sys.argv[0]).removesuffix(".py").split("_")
gib, steps = float(sys.argv[1]), int(sys.argv[2])
held = torch.zeros(int(gib * 2**30), dtype=torch.uint8, device="cuda")
if kind == "mlp":
    model = nn.Sequential(nn.Linear(1024, 4096), nn.ReLU(), nn.Linear(4096, 4096), nn.ReLU(),
                          nn.Linear(4096, 10))
    batch = torch.randn(512, 1024)
elif kind == "cnn":
    layers = [nn.Conv2d(3, 64, 3, padding=1), nn.ReLU()]
    for _ in range(6):
        layers += [nn.Conv2d(64, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10))
    batch = torch.randn(64, 3, 64, 64)
else:
    layer = nn.TransformerEncoderLayer(512, 8, 2048, batch_first=True)
    model = nn.Sequential(nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), nn.Linear(512, 10))
    batch = torch.randn(16, 128, 512)
model, batch = model.cuda(), batch.pin_memory()
optimizer = torch.optim.AdamW(model.parameters())
model.train(doing == "train")
for _ in range(steps):
    began = time.time()
    if doing == "train":
        loss = model(batch.cuda(non_blocking=True)).square().mean()
        optimizer.zero_grad(); loss.backward(); optimizer.step(); loss.item()
    else:
        with torch.inference_mode():
            model(batch.cuda(non_blocking=True)).argmax(-1).cpu()
    time.sleep(max(0.0, 0.025 - (time.time() - began)))
"""
