"""What tests of gpusched-notifier share: certificates, and one notifier for a whole file."""

import subprocess

import pytest
from notifier_process import Notifier

SECRET = "SEC-hush-hush"
NUMBERS = iter(range(1, 10_000))


@pytest.fixture(scope="module")
def place(programs, tmp_path_factory):
    """A certificate for localhost, and one for another name."""
    made = tmp_path_factory.mktemp("notifier")
    for name, host in (("good", "localhost"), ("other", "other.example")):
        subprocess.run([programs / "gpusched-tls", "cert", made / f"{name}.crt", made / f"{name}.key", host],
                       check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def authority(place):
    return (place / "good.crt").read_text()


@pytest.fixture(scope="module")
def notifier(programs, place):
    with Notifier(programs, place / "journal") as running:
        yield running
        assert SECRET.encode() not in running.said + running.complaints
        assert b"hush" not in running.said + running.complaints
