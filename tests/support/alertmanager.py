"""Debian's Alertmanager on a port of its own, from the unpacked package."""

import json
import shutil
import socket
import subprocess
import urllib.request

import debian_programs
from live_daemon import wait_until

INSTALLED = b"/usr/share/prometheus/alertmanager"


class Alertmanager:
    """Raises OSError where the package cannot be had."""

    def __init__(self, home):
        package = debian_programs.unpack("prometheus-alertmanager")
        for name in ("default.tmpl", "email.tmpl"):
            shutil.copy(package / INSTALLED.decode()[1:] / name, home)
        # The package's place is fixed in the program; a path of the same length leads to where it is started.
        program = (package / "usr/bin/prometheus-alertmanager").read_bytes()
        (home / "alertmanager").write_bytes(program.replace(INSTALLED, b"." + b"/" * (len(INSTALLED) - 1)))
        (home / "alertmanager").chmod(0o755)
        (home / "config.yml").write_text("route: {receiver: nobody}\nreceivers: [{name: nobody}]\n")
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.url = f"http://{address}"
        self._log = home / "log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [home / "alertmanager", f"--config.file={home}/config.yml", f"--storage.path={home}/data",
                 f"--web.listen-address={address}", "--cluster.listen-address="],
                stdout=log, stderr=log, cwd=home)
        wait_until(self._answers, 90, "Alertmanager's first answer")

    def _answers(self):
        assert self._process.poll() is None, self._log.read_text()
        try:
            return self.alerts() is not None
        except OSError:
            return False

    def alerts(self):
        with urllib.request.urlopen(f"{self.url}/api/v2/alerts", timeout=30) as answer:
            return json.load(answer)

    def close(self):
        self._process.kill()
        self._process.wait()
