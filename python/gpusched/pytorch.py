"""A plain PyTorch loop that saves itself and goes on: state, random numbers and step.

    loop = gpusched.pytorch.Loop(model=model, optimizer=optimizer)
    for step in loop.steps(10_000):
        loss = train(step)
"""

import os

from gpusched import contract

FILE = "pytorch.pt"


class Loop:
    """Keeps what has `state_dict()` and `load_state_dict()`; `steps()` runs the loop."""

    def __init__(self, *, every=0, device=None, **parts):
        """`every`: also save after so many steps, for a crash. `device`: where to load to."""
        self._parts = parts
        self._every = every
        self._device = device
        self.next_step = 0

    @property
    def path(self):
        return contract.checkpoint_directory() / FILE

    def restore(self):
        """Loads what was saved, if something was; the step to go on with."""
        import torch

        if self.path.exists():
            # Ours, from this job's own directory: it holds more than tensors.
            kept = torch.load(self.path, map_location=self._device, weights_only=False)
            for name, part in self._parts.items():
                part.load_state_dict(kept["parts"][name])
            torch.set_rng_state(kept["random"].cpu())
            if kept["cuda_random"] and torch.cuda.is_available():
                torch.cuda.set_rng_state_all([one.cpu() for one in kept["cuda_random"]])
            self.next_step = kept["next_step"]
        return self.next_step

    def save(self):
        """All or nothing: a job that is killed while it saves keeps what it had."""
        import torch

        kept = {
            "parts": {name: part.state_dict() for name, part in self._parts.items()},
            "random": torch.get_rng_state(),
            "cuda_random": torch.cuda.get_rng_state_all() if torch.cuda.is_available() else [],
            "next_step": self.next_step,
        }
        draft = self.path.with_suffix(".draft")
        with open(draft, "wb") as file:
            torch.save(kept, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, self.path)

    def steps(self, total):
        """The steps still to do. After each: progress; when asked, saves and ends the process."""
        for step in range(self.restore(), total):
            yield step
            self.next_step = step + 1
            contract.progress(self.next_step, total)
            if self.next_step < total and contract.checkpoint_requested():
                self.save()
                contract.saved()
            if self._every and self.next_step % self._every == 0:
                self.save()
