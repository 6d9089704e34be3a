"""Servers on loopback as bench/serve asks them: where they listen, who may ask, what to ask for."""
import os
import pwd
import re
import socket

from parts import peers
from parts.systems import Gpusched

JOBS_PER_SUBMISSION = 1000


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def answers(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


class GpuschedServer(Gpusched):
    """With TLS and a token, as other machines reach it."""
    tls = True

    def __init__(self, directory, programs, clients):
        super().__init__(directory, 8, programs)
        self.port = free_port()
        self.clients = clients
        self.env["GPUSCHED_CONFIG"] = os.path.join(directory, "config.yaml")

    def start(self):
        certificate = ["--out", self.directory]
        self.run(self.client, "cert", "127.0.0.1", *certificate)
        with open(self.env["GPUSCHED_CONFIG"], "w", encoding="utf-8") as file:
            # Ended jobs of the load are let go of soon, so that memory could stay as it is.
            file.write(f'network: {{listen: ["127.0.0.1:{self.port}"],'
                       f' certificate: {self.directory}/gpusched.crt,'
                       f' key: {self.directory}/gpusched.key}}\n'
                       f"limits: {{clients: {self.clients}}}\n"
                       "retention: {keep_most: 1000}\n")
        process = self.daemon([os.path.join(self.programs, "gpuschedd"),
                               "--config", self.env["GPUSCHED_CONFIG"],
                               "--state-dir", os.path.join(self.directory, "state"),
                               "--socket", self.socket, "--sim", f"{self.slots}x24G"])
        self.pid = process.pid
        self.until(lambda: os.path.exists(self.socket), "the start of the daemon")
        self.until(lambda: self.api_call("GET", "/v1/gpus")["cards"], "finding the cards")
        made = self.run(self.client, "token", "create", "--name", "load")
        self.token = made.split()[0]
        self.close_gate()

    def fill(self, count, command):
        """Of several kinds, as people's jobs are: each kind has a name and a need."""
        for first in range(0, count, JOBS_PER_SUBMISSION):
            size = min(JOBS_PER_SUBMISSION, count - first)
            self.api_call("POST", "/v1/jobs", self.body(
                command, array={"indices": f"1-{size}"}, name=f"train-{first // JOBS_PER_SUBMISSION}",
                vram_bytes=(first // JOBS_PER_SUBMISSION % 8 + 1) << 30))

    def access(self):
        return [f"port {self.port}", "tls", f"token {self.token}"]

    def one_job(self):
        return "/v1/jobs/100"

    def list_of_jobs(self, count):
        return f"/v1/jobs?limit={count}"


class GflowServer(peers.Gflow):
    """Its daemon has an HTTP server of its own, without TLS and without users."""
    tls = False

    def start(self):
        super().start()
        with open(f"{self.directory}/config/gflow/gflow.toml", encoding="utf-8") as file:
            self.port = int(re.search(r"port = (\d+)", file.read()).group(1))

    def fill(self, count, command):
        for _ in range(count):  # With a time at which nothing starts: it has no gate.
            self.run(self.program, "--gpus", "1", *command)

    def access(self):
        return [f"port {self.port}"]

    def one_job(self):
        return "/jobs/100"

    def list_of_jobs(self, _):
        return "/jobs"


class SlurmRest(peers.Slurm):
    """slurmrestd beside slurmctld, on loopback, plain, with a token made by scontrol."""
    name = "slurmrestd"
    tls = False
    needs = (*peers.Slurm.needs, "slurmrestd")

    def start(self):
        self.key = os.path.join(self.directory, "jwt.key")
        with open(self.key, "wb") as file:
            file.write(os.urandom(32))
        super().start()
        self.port = free_port()
        nobody = pwd.getpwnam("nobody")
        self.daemon(["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}",
                     "--clear-groups", "env", "SLURM_JWT=daemon", peers.find("slurmrestd"),
                     "-a", "rest_auth/jwt", "-s", "openapi/v0.0.38", f"127.0.0.1:{self.port}"])
        self.until(lambda: answers(self.port), "the start of slurmrestd")
        made = self.run(peers.find("scontrol"), "token", "lifespan=36000")
        self.token = made.strip().split("=", 1)[1]

    def more_configuration(self):
        return f"AuthAltTypes=auth/jwt\nAuthAltParameters=jwt_key={self.key}\n"

    def access(self):
        return [f"port {self.port}", f"header X-SLURM-USER-TOKEN: {self.token}",
                "header X-SLURM-USER-NAME: root"]

    def one_job(self):
        return "/slurm/v0.0.38/job/100"

    def list_of_jobs(self, _):
        return "/slurm/v0.0.38/jobs"


def installed(server):
    return all(peers.find(program) for program in server.needs)
