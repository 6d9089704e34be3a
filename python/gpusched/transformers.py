"""For the Trainer of Hugging Face: it saves when the job is asked to, and goes on from there.

    trainer = Trainer(..., callbacks=[gpusched.transformers.CheckpointCallback()])
    trainer.train(resume_from_checkpoint=bool(gpusched.resuming()))

The trainer saves into its own `output_dir`, which must be the same in every attempt.
"""

from gpusched import contract


def _make():
    from transformers import TrainerCallback

    class CheckpointCallback(TrainerCallback):
        """After every step: progress; when asked, the trainer saves, then the process ends."""

        def on_step_end(self, args, state, control, **_keywords):
            if state.max_steps > 0:
                contract.progress(min(state.global_step, state.max_steps), state.max_steps)
            if contract.checkpoint_requested() and state.global_step < state.max_steps:
                control.should_save = True
                control.should_training_stop = True
            return control

        def on_save(self, args, state, control, **_keywords):
            if control.should_training_stop and contract.checkpoint_requested():
                contract.saved()

    return CheckpointCallback


def __getattr__(name):
    """The class is made when it is first asked for: importing this module needs no transformers."""
    if name != "CheckpointCallback":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _make()
    return globals()[name]
