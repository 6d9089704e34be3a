"""For Lightning: the trainer saves when the job is asked to, and goes on from there.

    trainer = Trainer(callbacks=[gpusched.lightning.CheckpointCallback()])
    trainer.fit(model, ckpt_path=gpusched.lightning.resume_path())
"""

from gpusched import contract

FILE = "lightning.ckpt"


def resume_path():
    """The checkpoint to go on from, or None."""
    path = contract.checkpoint_directory() / FILE
    return str(path) if path.exists() else None


def _base():
    try:
        from lightning.pytorch.callbacks import Callback
    except ImportError:
        from pytorch_lightning.callbacks import Callback
    return Callback


def _make():
    class CheckpointCallback(_base()):
        """After every batch: progress; when asked, all ranks save together and end."""

        def on_train_batch_end(self, trainer, *_args, **_keywords):
            total = trainer.estimated_stepping_batches
            if 0 < total < float("inf"):
                contract.progress(min(trainer.global_step, int(total)), int(total))
            asked = contract.checkpoint_requested()
            if trainer.world_size > 1:
                # One rank may have seen it a batch before the others.
                asked = trainer.strategy.reduce_boolean_decision(asked, all=False)
            if asked:
                trainer.save_checkpoint(contract.checkpoint_directory() / FILE)
                trainer.strategy.barrier()
                contract.saved()

    return CheckpointCallback


def __getattr__(name):
    """The class is made when it is first asked for: importing this module needs no Lightning."""
    if name != "CheckpointCallback":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = _make()
    return globals()[name]
