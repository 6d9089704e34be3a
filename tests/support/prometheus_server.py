"""Debian's Prometheus, started by a test on a port of loopback and ended with it."""

import json
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

import debian_programs
from live_daemon import wait_until

CONFIG = """
global: {{scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}}
rule_files: ["{rules}"]
scrape_configs:
  - job_name: gpusched
    authorization: {{credentials_file: "{token}"}}
    static_configs: [{{targets: ["{target}"]}}]
"""


def programs():
    """Where prometheus and promtool are. Raises OSError."""
    return debian_programs.unpack("prometheus") / "usr/bin"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as one:
        return one.getsockname()[1]


class PrometheusServer:
    def __init__(self, directory, target, token, rules):
        self.directory = directory
        token_file = directory / "token"
        token_file.write_text(token)
        (directory / "prometheus.yml").write_text(
            CONFIG.format(rules=rules, token=token_file, target=target))
        self.process = None
        self.port = 0

    def __enter__(self):
        # The port may be taken before it is used; then another one is tried.
        for _ in range(5):
            self.port = free_port()
            with open(self.directory / "prometheus.log", "ab") as log:
                self.process = subprocess.Popen(
                    [programs() / "prometheus", f"--config.file={self.directory}/prometheus.yml",
                     f"--storage.tsdb.path={self.directory}/data", "--log.level=warn",
                     f"--web.listen-address=127.0.0.1:{self.port}"],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.directory)
            if wait_until(lambda: self.process.poll() is not None or self._is_ready(), 120,
                          "an answer of Prometheus") and self.process.poll() is None:
                return self
        raise AssertionError(f"Prometheus does not start:\n{self.log()}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=60)

    def log(self):
        return (self.directory / "prometheus.log").read_text(errors="replace")

    def _get(self, path):
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.read()

    def _is_ready(self):
        try:
            self._get("/-/ready")
            return True
        except OSError:  # urllib's errors are such, too.
            return False

    def query(self, expression):
        """What it answers now: a list of {metric, value}."""
        try:
            text = self._get("/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{expression}: {error.read().decode()}") from error
        return json.loads(text)["data"]["result"]

    def targets(self):
        return json.loads(self._get("/api/v1/targets"))["data"]["activeTargets"]
