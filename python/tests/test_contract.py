"""The job's side of the contract, with a daemon that is played by files and signals."""

import os
import signal
import threading

import pytest


def test_outside_a_job_everything_is_harmless(package, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not package.checkpoint_requested()
    assert package.time_remaining() is None
    assert package.resuming() is None
    package.progress(1, 2)
    package.step(1, 2)
    assert package.checkpoint_directory() == type(tmp_path)("checkpoint")
    assert (tmp_path / "checkpoint").is_dir()


def test_a_request_is_seen_with_its_deadline(package, job):
    assert not package.checkpoint_requested()
    assert package.time_remaining() is None
    job.ask(grace=60)
    assert package.checkpoint_requested()
    assert 50 < package.time_remaining() <= 61  # Written to the millisecond, rounded.
    job.ask(grace=-5)
    assert package.time_remaining() == 0


def test_a_damaged_request_still_asks(package, job):
    job.request.write_text("soon")
    assert package.checkpoint_requested()
    assert package.time_remaining() is None


def test_a_signal_alone_asks_too(package, job):
    job.set("GPUSCHED_CHECKPOINT_SIGNAL", int(signal.SIGUSR1))
    before = signal.getsignal(signal.SIGUSR1)
    try:
        assert not package.checkpoint_requested()
        os.kill(os.getpid(), signal.SIGUSR1)
        assert package.checkpoint_requested()
        assert 50 < package.time_remaining() <= 60
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_whoever_caught_the_signal_before_still_hears_it(package, job):
    job.set("GPUSCHED_CHECKPOINT_SIGNAL", int(signal.SIGUSR1))
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        package.checkpoint_requested()
        os.kill(os.getpid(), signal.SIGUSR1)
        assert package.checkpoint_requested() and heard == [1]
    finally:
        signal.signal(signal.SIGUSR1, before)


@pytest.mark.parametrize("number", ["9", "nonsense", "0"])
def test_a_signal_that_cannot_be_caught_is_no_obstacle(package, job, number):
    job.set("GPUSCHED_CHECKPOINT_SIGNAL", number)
    assert not package.checkpoint_requested()
    job.ask()
    assert package.checkpoint_requested()


def test_other_threads_may_ask(package, job):
    job.set("GPUSCHED_CHECKPOINT_SIGNAL", int(signal.SIGUSR1))
    job.ask()
    seen = []
    thread = threading.Thread(target=lambda: seen.append(package.checkpoint_requested()))
    thread.start()
    thread.join()
    assert seen == [True]


def test_resuming_names_the_attempt_that_saved(package, job):
    assert package.resuming() is None
    job.set("GPUSCHED_RESUME", 3)
    assert package.resuming() == 3


def test_progress_is_one_line_and_not_written_at_every_step(package, job):
    package.progress(1, 10)
    assert job.progress.read_text() == "1 10\n"
    package.progress(2, 10)
    assert job.progress.read_text() == "1 10\n"
    package.progress(10, 10)
    assert job.progress.read_text() == "10 10\n"
    assert [p.name for p in job.checkpoint.iterdir()] == ["progress"]


def test_progress_carries_values_for_the_table_of_a_sweep(package, job):
    package.progress(10, 10, loss=0.25, acc="high")
    assert job.progress.read_text() == "10 10 loss=0.25 acc=high\n"


@pytest.mark.parametrize("step, total", [(-1, 10), (11, 10), (0, 0)])
def test_progress_that_makes_no_sense_is_refused(package, job, step, total):
    with pytest.raises(ValueError, match="makes no sense"):
        package.progress(step, total)


def test_progress_without_a_place_to_write_ends_nothing(package, job):
    job.set("GPUSCHED_PROGRESS", job.checkpoint / "gone" / "progress")
    package.progress(1, 10)


def test_saved_ends_with_the_agreed_code(package, job):
    with pytest.raises(SystemExit) as ended:
        package.saved()
    assert ended.value.code == package.SAVED_EXIT_CODE == 75


def test_step_saves_and_leaves_when_asked(package, job):
    done = []
    package.on_checkpoint(lambda: done.append("first"))
    package.on_checkpoint(lambda: done.append("second"))
    package.step(1, 10)
    assert done == []
    job.ask()
    with pytest.raises(SystemExit) as ended:
        package.step(2, 10)
    assert ended.value.code == 75 and done == ["first", "second"]


def test_step_without_anybody_who_saves_goes_on(package, job):
    job.ask()
    package.step(1, 10)


def test_a_save_that_fails_is_not_called_saved(package, job):
    @package.on_checkpoint
    def save():
        raise OSError("disk full")

    job.ask()
    with pytest.raises(OSError, match="disk full"):
        package.step(1, 10)


def test_saving_counts_within_its_block(package, job):
    done = []
    job.ask()
    with pytest.raises(SystemExit):
        with package.saving(lambda: done.append("in")):
            package.step(1, 10)
    package.step(2, 10)
    assert done == ["in"]


def test_saving_decorates_the_function_that_trains(package, job):
    done = []

    @package.saving(lambda: done.append("in"))
    def train():
        package.step(1, 10)
        return "trained"

    assert train() == "trained"
    job.ask()
    with pytest.raises(SystemExit):
        train()
    assert done == ["in"]
