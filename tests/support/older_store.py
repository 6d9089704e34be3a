"""A daemon whose store is replaced by an older one."""

import shutil

STORE = "gpusched.db"


def problems(daemon):
    return daemon.http("GET", "/v1/version").json()["problems"]


def remove_store(daemon):
    for path in daemon.state.glob(f"{STORE}*"):
        path.unlink()


def put_back(daemon, backup):
    daemon.kill()
    remove_store(daemon)
    shutil.copy(backup, daemon.state / STORE)
    daemon.start()


def wait_for_end(daemon, job, code):
    ended = daemon.ended(job)
    assert (ended["state"], ended["exit_code"]) == ("completed" if code == 0 else "failed", code)
