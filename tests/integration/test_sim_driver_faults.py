"""Everything that can be made to go wrong in a simulated world, and what its clients see of it."""

import os
import signal
import subprocess

import pytest
from live_daemon import wait_until

GIB = 1 << 30
SUCCESS, BAD_ARGUMENT, UNSUPPORTED, NO_PERMISSION, NOT_FOUND, TOO_SMALL = 0, 2, 3, 4, 6, 7
TIMEOUT, MISSING, LOST, MISMATCH, STRUCT_VERSION = 10, 13, 15, 18, 25
XID, SINGLE_BIT, DOUBLE_BIT = 8, 1, 2


@pytest.fixture
def server(make_world):
    """Two cards with everything that data-centre cards have."""
    return make_world("2x80G:H100")


def test_an_xid_arrives_while_a_client_waits_for_it(server):
    nvml = server.nvml()
    assert nvml.call("register", 0, XID)[0] == SUCCESS
    assert nvml.call("register", 1, XID)[0] == SUCCESS
    assert nvml.call("wait_event", 1)[0] == TIMEOUT
    nvml.ask("wait_event", 60000)
    assert not nvml.answers_within(0.1)
    server.set("card=1", "xid=31")
    assert nvml.answer(seconds=5) == [SUCCESS, {"card": 1, "type": XID, "value": 31}]


def test_only_events_that_were_asked_for_are_told(server):
    nvml = server.nvml()
    nvml.call("register", 0, XID)
    server.set("card=1", "xid=13", "card=0", "ecc_corrected=3", "xid=94")
    assert nvml.call("wait_event", 5000) == [SUCCESS, {"card": 0, "type": XID, "value": 94}]
    assert nvml.call("wait_event", 1)[0] == TIMEOUT


def test_ecc_errors_are_counted_and_told(server):
    nvml = server.nvml()
    nvml.call("register", 0, SINGLE_BIT | DOUBLE_BIT)
    assert nvml.value("ecc", 0, 1) == 0
    server.set("card=0", "ecc_corrected=7", "ecc_uncorrected=2", "rows_pending=on",
               "remapped_uncorrected=1")
    assert (nvml.value("ecc", 0, 0), nvml.value("ecc", 0, 1)) == (7, 2)
    assert nvml.value("rows", 0) == [0, 1, 1, 0]
    assert nvml.value("wait_event", 5000)["type"] == SINGLE_BIT
    assert nvml.value("wait_event", 5000)["type"] == DOUBLE_BIT
    server.set("card=0", "recovery=2")
    assert nvml.value("field", 0, 230) == 2


def test_a_fatal_xid_ends_the_jobs_on_its_card(server):
    jobs = [server.job("--seconds", "0", "--steps-file", server.directory / f"s{card}", card=card)
            for card in (0, 1)]
    for card in (0, 1):
        server.wait_for_steps(f"s{card}", 1)
    server.set("card=0", "xid=95")
    _, err = jobs[0].communicate(timeout=30)
    assert (jobs[0].returncode, err) == (
        1, "RuntimeError: CUDA error: uncorrectable ECC error encountered\n")
    stood_at = server.steps("s1")
    server.wait_for_steps("s1", stood_at + 2)


def test_a_card_falls_off_the_bus(server):
    nvml = server.nvml()
    nvml.call("register", 0, XID)
    job = server.job("--vram", "1G", "--seconds", "0", "--steps-file", server.directory / "steps")
    server.wait_for_steps("steps", 1)
    server.set("card=0", "lost=on")
    assert nvml.call("nvmlDeviceGetPowerUsage", 0)[0] == LOST
    assert nvml.call("nvmlDeviceGetPowerUsage", 1)[0] == SUCCESS
    assert nvml.value("wait_event", 5000)["value"] == 79
    _, err = job.communicate(timeout=30)
    assert (job.returncode, err) == (1, "RuntimeError: CUDA error: unknown error\n")
    # Who starts anew does not find it at all.
    assert server.nvml().card_count == 1
    nvml.call("shutdown")
    assert nvml.call("init") == [SUCCESS, 1]
    server.set("card=0", "lost=off")
    assert server.nvml().card_count == 2


def test_a_hanging_call_harms_its_card_only_and_ends_when_cleared(server):
    stuck, free = server.nvml(), server.nvml()
    server.set("card=0", "hang=nvmlDeviceGetPowerUsage")
    stuck.ask("nvmlDeviceGetPowerUsage", 0)
    assert not stuck.answers_within(0.2)
    assert free.call("nvmlDeviceGetPowerUsage", 1)[0] == SUCCESS
    assert free.call("temperature", 0)[0] == SUCCESS
    server.set("card=0", "clear=faults")
    assert stuck.answer(seconds=5)[0] == SUCCESS


def test_everything_on_a_card_can_hang_and_its_client_can_be_killed(server):
    stuck = server.nvml()
    server.set("card=0", "hang=all")
    stuck.ask("temperature", 0)
    assert not stuck.answers_within(0.2)
    stuck.process.send_signal(signal.SIGKILL)
    stuck.process.wait(timeout=10)
    assert server.nvml().call("temperature", 1)[0] == SUCCESS


def test_a_card_may_be_forbidden(server):
    server.set("card=1", f"return=nvmlDeviceGetHandleByIndex_v2:{NO_PERMISSION}")
    nvml = server.nvml()
    assert nvml.card_count == 2
    assert nvml.call("open", 0)[0] == SUCCESS
    assert nvml.call("open", 1)[0] == NO_PERMISSION


def test_a_slow_call_takes_its_time(server):
    nvml = server.nvml()
    server.set("card=1", "slow=nvmlDeviceGetPowerUsage:2s")
    nvml.ask("nvmlDeviceGetPowerUsage", 1)
    assert not nvml.answers_within(1)
    assert nvml.answer(seconds=10)[0] == SUCCESS


@pytest.mark.parametrize("change, version", [("driver=restart", "580.159.04"),
                                             ("driver=590.44.01", "590.44.01")])
def test_after_a_restart_or_update_of_the_driver_clients_start_anew(server, change, version):
    nvml = server.nvml()
    nvml.call("register", 0, XID)
    nvml.ask("wait_event", 60000)
    server.set(change)
    assert nvml.answer(seconds=5)[0] == MISMATCH
    assert nvml.call("nvmlDeviceGetPowerUsage", 0)[0] == MISMATCH
    nvml.call("shutdown")
    assert nvml.call("init") == [SUCCESS, 2]
    assert nvml.call("nvmlDeviceGetPowerUsage", 0)[0] == SUCCESS
    assert server.show()["driver"] == version


def test_mig_takes_away_what_it_takes_away(server):
    nvml = server.nvml()
    assert nvml.value("mig", 0) == 0
    server.set("card=0", "mig=on")
    assert nvml.value("mig", 0) == 1
    assert nvml.call("nvmlDeviceGetUtilizationRates", 0)[0] == UNSUPPORTED
    assert nvml.call("account", 0, 1)[0] == UNSUPPORTED
    job = server.job("--vram", "1G", "--seconds", "0")
    server.wait_for_use(1)
    assert server.cuda("lock", job.pid) == "0"
    assert server.cuda("checkpoint", job.pid) == "2"


def test_functions_of_newer_drivers_can_be_missing(server, make_world):
    nvml = server.nvml()
    assert nvml.call("nvmlDeviceGetCurrentClocksEventReasons", 0)[0] == SUCCESS
    server.set("missing=nvmlDeviceGetCurrentClocksEventReasons")
    assert nvml.call("nvmlDeviceGetCurrentClocksEventReasons", 0)[0] == MISSING
    old = make_world("2x24G")
    old.set("driver=470.57")
    assert old.nvml().call("nvmlDeviceGetCurrentClocksEventReasons", 0)[0] == MISSING
    assert old.nvml().call("memory_v2", 0, 0x02000028)[0] == MISSING


def test_what_consumer_cards_lack_is_not_supported(make_world):
    nvml = make_world("8xRTX4090").nvml()
    assert nvml.call("ecc", 0, 0)[0] == UNSUPPORTED
    assert nvml.call("rows", 0)[0] == UNSUPPORTED
    assert nvml.call("gpm", 0)[0] == UNSUPPORTED
    assert nvml.call("mig", 0)[0] == UNSUPPORTED
    assert nvml.call("field", 0, 91)[0] == UNSUPPORTED
    assert nvml.call("nvmlDeviceGetFanSpeed", 0)[0] == SUCCESS
    assert len(nvml.value("processes", 0, 10, "Graphics")["entries"]) == 1


def test_process_entries_have_the_old_stride_when_told(world):
    pids = [world.add_process("card=0", f"vram={size}G") for size in (1, 2)]
    expected = [[pids[0], GIB], [pids[1], 2 * GIB]]
    nvml = world.nvml()
    assert nvml.value("processes", 0, 10) == {"count": 2, "stride": 24, "entries": expected}
    world.set("old_process_stride=on")
    assert nvml.value("processes", 0, 10) == {"count": 2, "stride": 32, "entries": expected}


def test_too_small_a_buffer_is_answered_with_the_size_needed(world):
    for _ in range(3):
        world.add_process("card=0", "vram=1G")
    code, told = world.nvml().call("processes", 0, 2)
    assert (code, told["count"]) == (TOO_SMALL, 3)
    assert world.nvml().call("processes", 1, 0)[0] == SUCCESS


def test_a_structure_of_another_version_is_refused(world):
    nvml = world.nvml()
    assert nvml.call("memory_v2", 0, 0x01000028)[0] == STRUCT_VERSION
    assert nvml.call("memory_v2", 0, 0x02000028) == [SUCCESS, [24 * GIB, 0, 24 * GIB, 0]]


def test_values_can_be_set_by_hand_and_given_back_to_the_model(world):
    nvml = world.nvml()
    world.set("card=0", "temperature=96", "power=123", "util=42", "clock_reasons=0x8",
              "unlisted=3G")
    assert nvml.value("temperature", 0) == 96
    assert nvml.value("nvmlDeviceGetPowerUsage", 0) == 123000
    assert nvml.value("nvmlDeviceGetUtilizationRates", 0)[0] == 42
    # Too hot: the hardware slows down by itself.
    assert nvml.value("nvmlDeviceGetCurrentClocksEventReasons", 0) == 0x48
    assert nvml.value("nvmlDeviceGetMemoryInfo", 0) == [24 * GIB, 21 * GIB, 3 * GIB]
    world.set("card=0", "temperature=auto", "power=auto", "util=auto", "clock_reasons=0")
    assert nvml.value("nvmlDeviceGetCurrentClocksEventReasons", 0) == 1
    assert nvml.value("temperature", 0) == 30


def test_accounting_keeps_the_peak_of_a_killed_process(world):
    nvml = world.nvml()
    world.set("card=0", "accounting=on")
    job = world.job("--vram", "5G", "--util", "100", "--seconds", "0")
    world.wait_for_use(5)
    assert nvml.value("account", 0, job.pid)["running"] == 1
    wait_until(lambda: world.card()["busy_percent"] == 100, what="the load")
    job.kill()
    job.wait()
    told = nvml.value("account", 0, job.pid)
    assert (told["peak"], told["running"]) == (5 * GIB, 0)
    assert told["run_ms"] > 0
    assert nvml.call("account", 1, job.pid)[0] == NOT_FOUND


def test_a_card_in_exclusive_mode_takes_one_process(world):
    world.job("--vram", "1G", "--seconds", "0")
    world.wait_for_use(1)
    world.set("card=0", "compute_mode=exclusive")
    second = world.job("--vram", "1G")
    _, err = second.communicate(timeout=30)
    assert second.returncode == 1 and "busy or unavailable" in err


@pytest.mark.skipif(os.getuid() != 0, reason="as root it is allowed, which is tested by others")
def test_modes_are_changed_by_root(world):
    done = subprocess.run(
        ["python3", "-c", "import ctypes; n = ctypes.CDLL('libnvidia-ml.so.1'); n.nvmlInit_v2(); "
         "h = ctypes.c_void_p(); n.nvmlDeviceGetHandleByIndex_v2(0, ctypes.byref(h)); "
         "print(n.nvmlDeviceSetPersistenceMode(h, 0))"],
        env=world.environment(), capture_output=True, text=True, check=True)
    assert done.stdout == "0\n"
    assert world.nvml().value("nvmlDeviceGetPersistenceMode", 0) == 0


def without_world(world, **variables):
    environment = {k: v for k, v in world.environment().items() if k != "GPUSCHED_SIM_WORLD"}
    return subprocess.run(
        ["python3", "-c", "import ctypes; print(ctypes.CDLL('libnvidia-ml.so.1').nvmlInit_v2(), "
         "ctypes.CDLL('libcuda.so.1').cuInit(0))"],
        env={**environment, **variables}, capture_output=True, text=True, check=True)


def test_without_a_world_one_sentence_says_so(world):
    done = without_world(world)
    assert done.stdout == "9 100\n"
    assert done.stderr.splitlines() == [
        f"simulated {name}: GPUSCHED_SIM_WORLD does not name a simulated world"
        for name in ("libnvidia-ml.so.1", "libcuda.so.1")]


def test_a_file_that_is_no_world_is_refused_by_its_name(world):
    other = world.directory / "other"
    other.write_bytes(b"x" * 100000)
    done = without_world(world, GPUSCHED_SIM_WORLD=str(other))
    assert done.stdout == "9 100\n"
    assert f"{other} is not a simulated world" in done.stderr


def test_the_tool_refuses_what_makes_no_sense(world):
    for words, said in ((("set", world.file, "card=7", "xid=1"), "there are cards 0 to 1"),
                        (("set", world.file, "xid=1"), "say card=N before it"),
                        (("set", world.file, "card=0", "colour=red"), "there is no such key"),
                        (("create", world.file, "2x24G"), "File exists"),
                        (("create", world.directory / "w", "many"), "nor is there a scenario"),
                        (("show", world.directory / "w"), "No such file"),
                        (("remove-process", world.file, "1"), "no foreign process 1"),
                        (("paint", world.file), "there is no verb 'paint'")):
        done = world.tool(*words, check=False)
        assert done.returncode >= 64 and said in done.stderr, done
    assert "Keys of set:" in world.tool("--help").stdout
