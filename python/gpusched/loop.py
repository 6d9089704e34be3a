"""Functions that save, and the one call in a loop that calls them when it is time."""

import contextlib

from gpusched import contract

_savers = []


def on_checkpoint(function):
    """Decorator: `function()` saves what the next attempt needs. Several run in order."""
    _savers.append(function)
    return function


class saving(contextlib.ContextDecorator):  # noqa: N801: reads as a word in `with saving(save):`
    """`with saving(save):`, or `@saving(save)` on the function that trains: `save` counts inside."""

    def __init__(self, function):
        self._function = function

    def __enter__(self):
        _savers.append(self._function)
        return self

    def __exit__(self, *_):
        _savers.remove(self._function)
        return False


def step(number, total):
    """After each step of a loop: tells the progress; saves and leaves if that was asked for."""
    contract.progress(number, total)
    if not contract.checkpoint_requested():
        return
    for save in list(_savers):
        save()
    # Without anybody who saves, to claim that it was saved would lose the work.
    if _savers:
        contract.saved()
