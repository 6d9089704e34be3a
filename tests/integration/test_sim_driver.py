"""The simulated driver as its clients see it: memory, load, checkpoints, other people's tools."""

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile

import driver_clients
import pytest
from live_daemon import wait_until
from sim_world import SimWorld

GIB = 1 << 30


@pytest.fixture(scope="module")
def clients():
    try:
        return driver_clients.install()
    except (OSError, subprocess.TimeoutExpired) as error:
        pytest.skip(f"no third-party clients here: {error}")


@pytest.fixture
def open_directory():
    """A place that other users may enter."""
    with tempfile.TemporaryDirectory(prefix="gs-") as place:
        os.chmod(place, 0o755)
        yield place


def has_ended(job, seconds=30):
    out, err = job.communicate(timeout=seconds)
    return job.returncode, out, err


# --- Memory -----------------------------------------------------------------------------------


def test_a_killed_job_frees_its_memory_at_once(world):
    job = world.job("--vram", "8G", "--seconds", "0")
    world.wait_for_use(8)
    job.kill()
    job.wait()
    assert world.card()["used_bytes"] == 0
    assert world.show()["cuda_processes"] == []


def test_a_frozen_job_keeps_its_memory_but_does_not_use_the_card(world):
    job = world.job("--vram", "8G", "--util", "70", "--seconds", "0")
    wait_until(lambda: world.card()["busy_percent"] == 70, what="the load")
    job.send_signal(signal.SIGSTOP)
    wait_until(lambda: world.card()["busy_percent"] == 0, what="no load")
    assert world.card()["used_bytes"] == 8 * GIB


def test_a_storm_of_kills_leaves_nothing_behind(world):
    dice = random.Random(7)
    for _ in range(4):
        jobs = [world.job("--vram", f"{dice.choice((1, 5, 9))}G", "--alloc-pieces", dice.choice((1, 400)),
                          "--seconds", "0", "--step-ms", "10", card=dice.randrange(2))
                for _ in range(10)]
        for job in dice.sample(jobs, len(jobs)):
            job.send_signal(dice.choice((signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM)))
            for card in world.show()["cards"]:
                assert sum(p["vram_bytes"] for p in card["processes"]) == card["used_bytes"] <= 24 * GIB
        for job in jobs:
            job.kill()
            job.communicate()
        assert [card["used_bytes"] for card in world.show()["cards"]] == [0, 0]
    assert world.show()["cuda_processes"] == []


def test_a_full_card_ends_a_job_as_pytorch_does(world):
    world.add_process("card=0", "vram=20G")
    code, _, err = has_ended(world.job("--vram", "8G", "--alloc-pieces", "4", "--seconds", "0"))
    assert code == 1
    assert err.startswith("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. "
                          "GPU 0 has a total capacity of 24.00 GiB of which 0.00 MiB is free.")
    assert world.card()["used_bytes"] == 20 * GIB


def test_memory_grows_with_the_ramp(world):
    world.job("--vram", "10G", "--ramp", "3s", "--seconds", "0")
    seen = wait_until(lambda: world.card()["used_bytes"], what="the first piece")
    assert 0 < seen < 10 * GIB
    world.wait_for_use(10)


def test_a_job_may_use_several_cards(world):
    job = world.job("--vram", "3G", "--gpus", "2", "--seconds", "0", card="0,1")
    world.wait_for_use(3, card=0)
    world.wait_for_use(3, card=1)
    job.kill()


def test_a_new_job_resumes_from_the_steps_of_the_last_one(world):
    words = ("--step-ms", "10", "--steps-file", world.directory / "steps")
    assert has_ended(world.job("--seconds", "0.1", *words)) == (0, "10 steps\n", "")
    assert has_ended(world.job("--seconds", "0.15", "--resume", *words)) == (0, "15 steps\n", "")
    assert world.steps("steps") == 15
    assert has_ended(world.job("--seconds", "0.02", *words)) == (0, "2 steps\n", "")
    assert world.steps("steps") == 2


def test_visible_devices_choose_and_order_the_cards(world):
    uuids = [card["uuid"] for card in world.show()["cards"]]
    assert world.cuda("devices") == ",".join(uuids)
    assert world.cuda("devices", variables={"CUDA_VISIBLE_DEVICES": "1,0"}) == ",".join(uuids[::-1])
    assert world.cuda("devices", variables={"CUDA_VISIBLE_DEVICES": uuids[1]}) == uuids[1]
    assert world.cuda("devices", variables={"CUDA_VISIBLE_DEVICES": ""}) == "cuInit 100"


def test_a_forked_child_has_a_place_of_its_own(world):
    support = os.path.dirname(driver_clients.__file__)
    parent = world.start([sys.executable, f"{support}/cuda_client.py", "fork"], stdin=subprocess.PIPE,
                         stdout=subprocess.PIPE)
    lines = sorted(parent.stdout.readline().split() for _ in range(2))
    # 3: the child is not initialised until it calls cuInit itself.
    assert lines[0][0] == "child" and lines[0][2] == "3"
    assert {p["pid"] for p in world.card()["processes"]} == {int(line[1]) for line in lines}
    assert world.card()["used_bytes"] == 2 * GIB
    parent.kill()
    parent.wait()
    # The child lives on and keeps what is its own, not what was its parent's.
    assert world.card()["used_bytes"] == GIB
    parent.stdin.close()
    wait_until(lambda: world.card()["used_bytes"] == 0, what="the end of the child")


# --- Load -------------------------------------------------------------------------------------


def test_an_over_committed_card_slows_its_jobs_in_proportion(world):
    for name in ("a", "b"):
        world.job("--util", "100", "--seconds", "0", "--steps-file", world.directory / name)
    world.wait_for_steps("a", 1)
    world.wait_for_steps("b", 1)
    world.job("--util", "100", "--seconds", "0", "--steps-file", world.directory / "alone", card=1)
    world.wait_for_steps("alone", 1)
    assert [p["busy_percent"] for p in world.card(0)["processes"]] == [50, 50]
    before = world.steps("a"), world.steps("b"), world.steps("alone")
    world.wait_for_steps("alone", before[2] + 30)
    for name, start in zip(("a", "b"), before):
        done = world.steps(name) - start
        assert 8 <= done <= 24, f"{name} made {done} steps while one alone made 30"


def test_load_shows_in_every_instrument(make_world):
    world = make_world("1x80G:H100")
    nvml = world.nvml()
    idle = nvml.value("nvmlDeviceGetPowerUsage", 0), nvml.value("temperature", 0)
    world.job("--vram", "4G", "--util", "80", "--seconds", "0")
    wait_until(lambda: nvml.value("nvmlDeviceGetUtilizationRates", 0) == [80, 48], what="the load")
    assert nvml.value("nvmlDeviceGetPowerUsage", 0) > idle[0]
    assert nvml.value("temperature", 0) > idle[1]
    assert nvml.value("gpm", 0) == [80.0, 48.0]
    energy = nvml.value("nvmlDeviceGetTotalEnergyConsumption", 0)
    wait_until(lambda: nvml.value("nvmlDeviceGetTotalEnergyConsumption", 0) > energy, what="energy")


# --- Checkpoints ------------------------------------------------------------------------------


def test_a_job_goes_on_with_its_steps_after_checkpoint_and_restore(world):
    job = world.job("--vram", "20G", "--seconds", "4", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 3)
    nvml = world.nvml()
    assert nvml.value("processes", 0, 10)["entries"] == [[job.pid, 20 * GIB]]
    assert world.cuda("state", job.pid) == "0 0"
    assert int(world.cuda("thread", job.pid).split()[1]) != job.pid
    assert world.cuda("checkpoint", job.pid) == "401"
    assert world.cuda("lock", job.pid, 5000) == "0"
    assert world.cuda("lock", job.pid) == "401"
    stood_at = world.steps("steps")
    assert world.cuda("checkpoint", job.pid) == "0"
    assert world.cuda("state", job.pid) == "0 2"
    assert world.card()["used_bytes"] == 0
    assert nvml.value("processes", 0, 10)["entries"] == []

    # Its place is really free: somebody else runs there to the end.
    code, out, _ = has_ended(world.job("--vram", "20G", "--seconds", "0.5"))
    assert (code, out) == (0, "5 steps\n")

    assert world.steps("steps") == stood_at
    assert world.cuda("unlock", job.pid) == "401"
    assert world.cuda("restore", job.pid) == "0"
    assert world.cuda("state", job.pid) == "0 1"
    assert world.card()["used_bytes"] == 20 * GIB
    assert world.steps("steps") == stood_at
    assert world.cuda("unlock", job.pid) == "0"
    assert has_ended(job) == (0, "40 steps\n", "")


def test_restoring_without_room_loses_the_process_for_good(world):
    job = world.job("--vram", "20G", "--seconds", "0")
    world.wait_for_use(20)
    assert world.cuda("lock", job.pid) == "0"
    assert world.cuda("checkpoint", job.pid) == "0"
    pid = world.add_process("card=0", "vram=10G")
    assert world.cuda("restore", job.pid) == "2"
    world.tool("remove-process", world.file, pid)
    assert world.cuda("restore", job.pid) == "304"
    assert world.cuda("unlock", job.pid) == "401"
    assert world.cuda("state", job.pid) == "0 2"
    assert world.card()["used_bytes"] == 0


def test_locking_alone_only_pauses(world):
    job = world.job("--vram", "1G", "--seconds", "0", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 2)
    assert world.cuda("lock", job.pid) == "0"
    stood_at = world.steps("steps")
    assert world.card()["used_bytes"] == GIB
    assert world.cuda("unlock", job.pid) == "0"
    world.wait_for_steps("steps", stood_at + 2)


def test_a_lock_that_takes_too_long_leaves_the_job_running(world):
    steps = world.directory / "steps"
    job = world.job("--step-ms", "3000", "--seconds", "0", "--steps-file", steps)
    wait_until(lambda: world.card()["busy_percent"] > 0, what="the first step")
    assert world.cuda("lock", job.pid, 50) == "600"
    assert world.cuda("state", job.pid) == "0 0"
    world.wait_for_steps("steps", 1)


def test_a_lock_on_a_stopped_process_waits_whatever_its_timeout(world):
    job = world.job("--seconds", "0", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 1)
    job.send_signal(signal.SIGSTOP)
    support = os.path.dirname(driver_clients.__file__)
    caller = world.start([sys.executable, f"{support}/cuda_client.py", "lock", str(job.pid), "100"],
                         stdout=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        caller.wait(timeout=1)
    job.send_signal(signal.SIGCONT)
    # On a busy machine its time may be over before the process has come round.
    assert caller.communicate(timeout=30)[0].strip() in ("0", "600")


def test_a_job_comes_back_on_another_card(make_world):
    world = make_world("2x80G:H100")
    job = world.job("--vram", "20G", "--seconds", "3", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 2)
    uuids = [card["uuid"] for card in world.show()["cards"]]
    assert world.cuda("lock", job.pid) == "0"
    assert world.cuda("checkpoint", job.pid) == "0"
    assert world.cuda("restore", job.pid, f"{uuids[1]}={uuids[0]}") == "1"
    assert world.cuda("restore", job.pid, f"{uuids[0]}={uuids[1]}") == "0"
    assert world.cuda("unlock", job.pid) == "0"
    assert [card["used_bytes"] for card in world.show()["cards"]] == [0, 20 * GIB]
    assert has_ended(job) == (0, "30 steps\n", "")


def test_checkpoint_calls_name_what_is_wrong_with_their_target(world):
    other = world.start(["cat"], stdin=subprocess.PIPE)
    assert world.cuda("lock", other.pid) == "3"
    other.kill()
    other.communicate()
    assert world.cuda("lock", other.pid) == "1"


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_only_the_owner_and_root_may_checkpoint(programs, open_directory):
    with contextlib.closing(SimWorld(programs, open_directory, "2x24G")) as world:
        check_who_may_checkpoint(world)


def check_who_may_checkpoint(world):
    job = world.job("--seconds", "0", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 1)
    script = os.path.join(os.path.dirname(driver_clients.__file__), "cuda_client.py")
    as_other = ["setpriv", "--reuid", "65534", "--clear-groups"]
    for needed in (script, world.libraries / "libcuda.so.1", world.file):
        if subprocess.run([*as_other, "test", "-r", needed], check=False).returncode != 0:
            pytest.skip(f"other users cannot read {needed}")
    done = subprocess.run([*as_other, sys.executable, script, "lock", str(job.pid)],
                          env=world.environment(), capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "304"
    assert world.cuda("lock", job.pid) == "0"


def test_an_old_driver_has_no_checkpoint_calls(make_world):
    world = make_world("8xRTX4090")
    job = world.job("--seconds", "0", "--steps-file", world.directory / "steps")
    world.wait_for_steps("steps", 1)
    assert world.cuda("lock", job.pid) == "801"
    assert world.cuda("find", "cuCheckpointProcessLock") == "1"
    assert world.cuda("find", "cuMemAlloc") == "0"
    assert make_world("2x24G").cuda("find", "cuCheckpointProcessLock") == "0"


# --- Other people's tools ---------------------------------------------------------------------

READ_BY_PYNVML = """
import json, pynvml as n
n.nvmlInit()
cards = []
for i in range(n.nvmlDeviceGetCount()):
    h = n.nvmlDeviceGetHandleByIndex(i)
    memory = n.nvmlDeviceGetMemoryInfo(h, version=n.nvmlMemory_v2)
    cards.append({
        "name": n.nvmlDeviceGetName(h), "uuid": n.nvmlDeviceGetUUID(h),
        "bus": n.nvmlDeviceGetPciInfo(h).busId, "total": memory.total, "used": memory.used,
        "reserved": memory.reserved, "util": n.nvmlDeviceGetUtilizationRates(h).gpu,
        "temperature": n.nvmlDeviceGetTemperatureV(h, n.NVML_TEMPERATURE_GPU),
        "limit": n.nvmlDeviceGetEnforcedPowerLimit(h), "ecc": n.nvmlDeviceGetEccMode(h),
        "links": n.nvmlDeviceGetFieldValues(h, [n.NVML_FI_DEV_NVLINK_LINK_COUNT])[0].value.uiVal,
        "processes": [[p.pid, p.usedGpuMemory] for p in n.nvmlDeviceGetComputeRunningProcesses(h)],
        "detailed": [[p.pid, p.usedGpuMemory] for p in n.nvmlDeviceGetRunningProcessDetailList(
            h, n.nvmlProcessDetailList_v1, n.NVML_PROCESS_MODE_COMPUTE)],
    })
print(json.dumps({"driver": n.nvmlSystemGetDriverVersion(),
                  "cuda": n.nvmlSystemGetCudaDriverVersion(), "cards": cards}))
"""


def test_nvidia_ml_py_reads_the_right_numbers(make_world, clients):
    world = make_world("8xH200")
    world.set("card=1", "temperature=77", "util=33")
    pid = world.add_process("card=0", "vram=10G", "util=40", "name=server")
    job = world.job("--vram", "4G", "--util", "20", "--seconds", "0", card=0)
    wait_until(lambda: world.card()["busy_percent"] == 60, what="the load")
    read = driver_clients.evaluate(READ_BY_PYNVML, world.environment())
    assert (read["driver"], read["cuda"], len(read["cards"])) == ("580.159.04", 13000, 8)
    first, second = read["cards"][:2]
    context = 512 << 20
    assert first["processes"] == [[job.pid, 4 * GIB + context], [pid, 10 * GIB]]
    assert first["detailed"] == first["processes"]
    assert (first["name"], first["uuid"]) == ("NVIDIA H200", world.card()["uuid"])
    assert (first["total"], first["reserved"]) == (143771 << 20, 610 << 20)
    assert (first["used"], first["util"]) == (14 * GIB + context, 60)
    assert (first["limit"], first["ecc"], first["links"]) == (700000, [1, 1], 18)
    assert (second["temperature"], second["util"], second["processes"]) == (77, 33, [])
    assert len({card["bus"] for card in read["cards"]}) == 8


READ_BY_NVITOP = """
import json, nvitop
devices = nvitop.Device.all()
d = devices[0]
print(json.dumps({
    "count": len(devices), "name": d.name(), "uuid": d.uuid(), "driver": d.driver_version(),
    "used": d.memory_used(), "total": d.memory_total(), "util": d.gpu_utilization(),
    "temperature": d.temperature(), "power": d.power_usage(), "fan": str(d.fan_speed()),
    "ecc": str(d.total_volatile_uncorrected_ecc_errors()),
    "cuda": [c.name() for c in nvitop.CudaDevice.all()],
    "processes": {p.pid: [p.type, p.gpu_memory(), p.gpu_sm_utilization()]
                  for p in d.processes().values()},
}))
"""


def test_nvitop_reads_the_right_numbers(make_world, clients):
    world = make_world("8xRTX4090")
    job = world.job("--vram", "6G", "--util", "50", "--seconds", "0")
    wait_until(lambda: world.card()["busy_percent"] == 51, what="the load")
    read = driver_clients.evaluate(READ_BY_NVITOP, world.environment(CUDA_VISIBLE_DEVICES="0,3"))
    card = world.card()
    assert (read["count"], read["name"], read["driver"]) == (8, "NVIDIA GeForce RTX 4090", "550.120")
    assert (read["uuid"], read["util"], read["temperature"]) == (card["uuid"], 51,
                                                                 card["temperature_c"])
    # This client counts what the driver reserves as in use.
    assert read["used"] in (card["used_bytes"], card["used_bytes"] + card["reserved_bytes"])
    assert read["total"] == 24564 << 20
    assert (read["ecc"], read["fan"].isdigit(), len(read["cuda"])) == ("N/A", True, 2)
    display = next(p for p in card["processes"] if p["kind"] == "graphics")
    assert read["processes"][str(job.pid)] == ["C", 6 * GIB + (256 << 20), 50]
    assert read["processes"][str(display["pid"])][:2] == ["G", 212 << 20]


def test_nvitop_and_gpustat_show_the_world(make_world, clients):
    world = make_world("8xH200")
    job = world.job("--vram", "4G", "--util", "30", "--seconds", "0")
    wait_until(lambda: world.card()["busy_percent"] == 30, what="the load")
    shown = driver_clients.run("nvitop", "-1", environment=world.environment())
    assert "Driver Version: 580.159.04" in shown and str(job.pid) in shown
    assert shown.count("H200") >= 8
    script = ("import json, gpustat; s = gpustat.new_query().jsonify(); "
              "print(json.dumps(s['gpus'], default=str))")
    cards = driver_clients.evaluate(script, world.environment())
    assert len(cards) == 8
    assert (cards[0]["utilization.gpu"], cards[0]["memory.total"]) == (30, 143771)
    assert cards[0]["memory.used"] == 4096 + 512
    assert [p["pid"] for p in cards[0]["processes"]] == [job.pid]
    assert cards[0]["processes"][0]["gpu_memory_usage"] == 4096 + 512
    assert "NVIDIA H200" in driver_clients.run("gpustat", "--no-color", environment=world.environment())
