"""The hooks for training frameworks, against stand-ins with the same names."""

import importlib
import pickle
import sys
import types
from types import SimpleNamespace

import pytest


class Numbers(list):
    def cpu(self):
        return self


def stand_in_torch():
    torch = types.ModuleType("torch")
    torch.random = Numbers([0])
    torch.save = pickle.dump
    torch.get_rng_state = lambda: Numbers(torch.random)

    def load(path, map_location=None, weights_only=True):
        assert weights_only is False
        with open(path, "rb") as file:
            return pickle.load(file)

    def set_rng_state(state):
        torch.random = state

    torch.load, torch.set_rng_state = load, set_rng_state
    torch.cuda = SimpleNamespace(is_available=lambda: False)
    return torch


class Part:
    def __init__(self):
        self.value = 0

    def state_dict(self):
        return {"value": self.value}

    def load_state_dict(self, state):
        self.value = state["value"]


@pytest.fixture
def torch(monkeypatch):
    module = stand_in_torch()
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def run_loop(torch, package, total, ask_at=None, job=None, **options):
    pytorch = importlib.import_module("gpusched.pytorch")
    part = Part()
    loop = pytorch.Loop(model=part, **options)
    seen = []
    for step in loop.steps(total):
        seen.append(step)
        part.value += 1
        torch.random = Numbers([step])
        if step == ask_at:
            job.ask()
    return part, seen


def test_a_plain_loop_goes_on_where_it_saved(package, job, torch):
    with pytest.raises(SystemExit) as ended:
        run_loop(torch, package, 10, ask_at=3, job=job)
    assert ended.value.code == 75
    job.request.unlink()
    torch.random = Numbers([99])
    part, seen = run_loop(torch, package, 10)
    assert seen == [4, 5, 6, 7, 8, 9] and part.value == 10
    assert job.progress.read_text() == "10 10\n"


def test_a_loop_that_is_done_ends_as_done(package, job, torch):
    part, seen = run_loop(torch, package, 3, ask_at=2, job=job)
    assert seen == [0, 1, 2] and part.value == 3


def test_random_numbers_go_on_too(package, job, torch):
    with pytest.raises(SystemExit):
        run_loop(torch, package, 10, ask_at=3, job=job)
    torch.random = Numbers([99])
    importlib.import_module("gpusched.pytorch").Loop(model=Part()).restore()
    assert torch.random == [3]


def test_a_loop_can_save_as_it_goes_and_survive_a_crash(package, job, torch):
    pytorch = importlib.import_module("gpusched.pytorch")
    with pytest.raises(RuntimeError):
        for step in pytorch.Loop(model=Part(), every=2).steps(10):
            if step == 5:
                raise RuntimeError("crash")
    _, seen = run_loop(torch, package, 10)
    assert seen[0] == 4


def trainer(step, asked_by_another=False, world_size=1):
    made = SimpleNamespace(global_step=step, estimated_stepping_batches=10, world_size=world_size,
                           saved_to=[])
    made.save_checkpoint = lambda path: (made.saved_to.append(path), path.write_text("x"))
    made.strategy = SimpleNamespace(
        barrier=lambda: None, reduce_boolean_decision=lambda own, all: own or asked_by_another)
    return made


@pytest.fixture(params=["lightning", "pytorch_lightning"])
def lightning(request, monkeypatch):
    callbacks = SimpleNamespace(Callback=type("Callback", (), {}))
    if request.param == "lightning":
        names = ["lightning", "lightning.pytorch", "lightning.pytorch.callbacks"]
    else:
        names = ["pytorch_lightning", "pytorch_lightning.callbacks"]
        monkeypatch.setitem(sys.modules, "lightning", None)
    for name in names[:-1]:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, names[-1], callbacks)
    return callbacks.Callback


def test_lightning_saves_and_leaves_when_asked(package, job, lightning):
    module = importlib.import_module("gpusched.lightning")
    callback = module.CheckpointCallback()
    assert isinstance(callback, lightning)
    assert module.resume_path() is None
    callback.on_train_batch_end(trainer(1), None, None, None, 0)
    assert job.progress.read_text() == "1 10\n"
    job.ask()
    fitting = trainer(2)
    with pytest.raises(SystemExit) as ended:
        callback.on_train_batch_end(fitting, None, None, None, 1)
    assert ended.value.code == 75
    assert module.resume_path() == str(fitting.saved_to[0])


def test_lightning_ranks_save_together(package, job, lightning):
    callback = importlib.import_module("gpusched.lightning").CheckpointCallback()
    with pytest.raises(SystemExit):
        callback.on_train_batch_end(trainer(2, asked_by_another=True, world_size=2))


def test_transformers_saves_and_leaves_when_asked(package, job, monkeypatch):
    stand_in = types.ModuleType("transformers")
    stand_in.TrainerCallback = type("TrainerCallback", (), {})
    monkeypatch.setitem(sys.modules, "transformers", stand_in)
    callback = importlib.import_module("gpusched.transformers").CheckpointCallback()
    assert isinstance(callback, stand_in.TrainerCallback)
    control = SimpleNamespace(should_save=False, should_training_stop=False)
    state = SimpleNamespace(global_step=3, max_steps=10)
    callback.on_step_end(None, state, control)
    assert job.progress.read_text() == "3 10\n" and not control.should_save
    callback.on_save(None, state, control)
    job.ask()
    callback.on_step_end(None, state, control)
    assert control.should_save and control.should_training_stop
    with pytest.raises(SystemExit) as ended:
        callback.on_save(None, state, control)
    assert ended.value.code == 75


@pytest.mark.parametrize("name", ["lightning", "transformers"])
def test_hooks_import_without_their_framework(package, name):
    module = importlib.import_module(f"gpusched.{name}")
    with pytest.raises(AttributeError, match="no attribute 'Other'"):
        module.Other  # noqa: B018
