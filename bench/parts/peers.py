"""The queues that gpusched is measured against. Each runs in a private directory, without TCP
beyond loopback, and is left out with a sentence when it is not installed."""
import os
import pwd
import shlex
import shutil
import socket
import subprocess
import time

from parts.systems import System
from parts.timing import Stuck

PREFIX = ""  # Where install.py puts programs; set by compare.


def find(program):
    places = [os.path.join(PREFIX, "bin"), os.path.join(PREFIX, "python", "bin"),
              *os.environ["PATH"].split(":"), "/usr/sbin", "/usr/local/sbin"]
    return shutil.which(program, path=":".join(places))


def hyperqueue_python():
    """A Python that has the package; None: there is none."""
    python = os.path.join(PREFIX, "python", "bin", "python")
    seek = [python, "-c", "import hyperqueue.cluster"]
    found = os.path.exists(python) and subprocess.run(seek, capture_output=True, check=False)
    return python if found and found.returncode == 0 else None


class TaskSpooler(System):
    name = "task-spooler"
    durable = False
    most_queued = 800  # It keeps a process and a connection per job, and dies near 1,000.
    needs = ("tsp",)

    def start(self):
        self.program = find("tsp")
        self.env |= {"TS_SOCKET": os.path.join(self.directory, "s"), "TMPDIR": self.directory,
                     "TS_SLOTS": str(self.slots)}
        self.run(self.program, "-S", str(self.slots))

    def stop(self):
        """What runs outlives its server, so that goes first."""
        for gate in getattr(self, "gates", ()):
            self.run(self.program, "-k", gate, check=False)
        self.run(self.program, "-K", check=False)

    def submit_argv(self, command):
        return [self.program, *command]

    def close_gate(self):
        self.gates = [self.run(self.program, shutil.which("sleep"), "100000").strip()
                      for _ in range(self.slots)]

    def open_gate(self):
        for gate in self.gates:
            self.run(self.program, "-k", gate)

    def version(self):
        return self.run(find("tsp"), "-V").split("\n")[0].replace("Task Spooler ", "").split(" - ")[0]


class Pueue(System):
    name = "pueue"
    durable = True
    most_queued = 1000
    needs = ("pueue", "pueued")

    def start(self):
        self.program = find("pueue")
        settings = os.path.join(self.directory, "pueue.yml")
        with open(settings, "w", encoding="utf-8") as file:
            file.write(f"client: {{}}\ndaemon: {{}}\nshared:\n  use_unix_socket: true\n"
                       f"  pueue_directory: {self.directory}/data\n"
                       f"  runtime_directory: {self.directory}\n"
                       f"  unix_socket_path: {self.directory}/s\n")
        self.env["PUEUE_CONFIG_PATH"] = settings
        self.daemon([find("pueued")])
        self.until(lambda: os.path.exists(f"{self.directory}/s"), "the start of the daemon")
        time.sleep(0.2)
        self.run(self.program, "parallel", str(self.slots))

    def submit_argv(self, command):
        return [self.program, "add", "--", *command]

    def close_gate(self):
        self.run(self.program, "pause")

    def open_gate(self):
        self.run(self.program, "start")

    def version(self):
        return self.run(find("pueue"), "--version").strip().removeprefix("pueue ")


class HyperQueue(System):
    """As its Python package has it: no command line, so only measures without one have it."""
    name = "HyperQueue"
    durable = False  # LocalCluster keeps no journal.
    most_queued = 2000
    needs = ("hyperqueue",)

    def start(self):
        self.process = subprocess.Popen(
            [hyperqueue_python(), os.path.join(os.path.dirname(__file__), "hyperqueue_cluster.py"),
             os.path.join(self.directory, "server")],
            env=self.env, cwd=self.directory, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL)
        self.processes.append(self.process)

    def tell(self, *words):
        self.process.stdin.write(shlex.join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise Stuck(f"HyperQueue: {answer or 'it ended'}")

    def submit(self, command):
        self.tell("submit", 1, *command)

    def fill(self, count, command):
        self.tell("submit", count, *command)

    def close_gate(self):
        """Nothing runs before there is a worker."""

    def open_gate(self):
        self.tell("worker", self.slots)

    def version(self):
        show = "import importlib.metadata as m; print(m.version('hyperqueue'))"
        return self.run(hyperqueue_python(), "-c", show).strip()


class Gflow(System):
    name = "gflow"
    durable = True  # Within 30 s, by its own documentation.
    most_queued = 500
    needs = ("gflowd", "gbatch", "tmux")

    def start(self):
        self.program = find("gbatch")
        self.env |= {"XDG_CONFIG_HOME": f"{self.directory}/config", "SHELL": "/bin/sh",
                     "XDG_DATA_HOME": f"{self.directory}/data", "TERM": "xterm",
                     "XDG_RUNTIME_DIR": self.directory, "TMUX_TMPDIR": self.directory,
                     "PATH": os.path.dirname(self.program) + ":" + self.env["PATH"]}
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        os.makedirs(f"{self.directory}/config/gflow", exist_ok=True)
        with open(f"{self.directory}/config/gflow/gflow.toml", "w", encoding="utf-8") as file:
            file.write(f'[daemon]\nhost = "127.0.0.1"\nport = {port}\n')
        self.run(find("gflowd"), "up")
        self.until(lambda: self.run(find("gflowd"), "status", check=False), "the daemon")
        time.sleep(1)

    def stop(self):
        self.run(find("gflowd"), "down", check=False)
        self.run("tmux", "kill-server", check=False)
        super().stop()

    def submit_argv(self, command):
        return [self.program, *command]

    def version(self):
        return self.run(find("gflowd"), "--version").split()[1]


class Slurm(System):
    name = "Slurm"
    durable = True
    most_queued = 500
    needs = ("slurmctld", "slurmd", "sbatch", "munged", "scontrol", "scancel", "squeue")

    def start(self):
        if os.geteuid() != 0:
            raise Stuck("Slurm on loopback has to be started by root")
        self.program = find("sbatch")
        munge = self._start_munge()
        host = socket.gethostname().split(".")[0]
        for part in ("state", "spool"):
            os.makedirs(f"{self.directory}/{part}", exist_ok=True)
        devices = []
        for card in range(self.slots):  # Slurm only opens them: any character device will do.
            devices.append(f"{self.directory}/card{card}")
            os.mknod(devices[-1], 0o20666, os.makedev(1, 3))
        with open(f"{self.directory}/gres.conf", "w", encoding="utf-8") as file:
            file.writelines(f"Name=gpu File={device}\n" for device in devices)
        with open(f"{self.directory}/slurm.conf", "w", encoding="utf-8") as file:
            file.write(SLURM_CONF.format(d=self.directory, host=host, munge=munge,
                                         slots=self.slots, cpus=os.cpu_count(),
                                         ports=self._free_ports()) + self.more_configuration())
        self.env["SLURM_CONF"] = f"{self.directory}/slurm.conf"
        self.daemon([find("slurmctld"), "-D", "-i"])
        self.daemon([find("slurmd"), "-D", "-N", host])
        self.until(lambda: "State=IDLE" in self.run(find("scontrol"), "show", "node", check=False),
                   "a node that is idle", 30)

    def stop(self):
        """Its step daemons outlive slurmd; so no job may be left when it goes."""
        if len(self.processes) == 3:
            self.run(find("scancel"), "--user=root", check=False)
            try:
                self.until(lambda: not self.run(find("squeue"), "--noheader", check=False),
                           "the end of its jobs", 15)
            except Stuck:
                pass
        super().stop()

    def more_configuration(self):
        return ""

    def _free_ports(self):
        found = []
        for _ in range(2):
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                found.append(free.getsockname()[1])
        return found

    def _start_munge(self):
        user = pwd.getpwnam("munge")
        place = f"{self.directory}/munge"
        os.makedirs(place, exist_ok=True)
        key = f"{place}/key"
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o600)
        for path in (place, key):
            os.chown(path, user.pw_uid, user.pw_gid)
        os.chmod(place, 0o755)
        self.daemon(["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups",
                     find("munged"), "-F", "-f", f"--key-file={key}", f"--socket={place}/socket",
                     f"--pid-file={place}/pid", f"--log-file={place}/log",
                     f"--seed-file={place}/seed"])
        self.until(lambda: os.path.exists(f"{place}/socket"), "munged")
        return f"{place}/socket"

    def submit_argv(self, command):
        return [self.program, "--quiet", "--output=/dev/null", "--chdir=/", "--gres=gpu:1",
                "--wrap", " ".join(command)]

    def close_gate(self):
        self.run(find("scontrol"), "update", "PartitionName=main", "State=DOWN")

    def open_gate(self):
        self.run(find("scontrol"), "update", "PartitionName=main", "State=UP")

    def version(self):
        return self.run(find("slurmctld"), "-V").strip().removeprefix("slurm-wlm ")


SLURM_CONF = """ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
AuthType=auth/munge
AuthInfo=socket={munge}
CredType=cred/munge
SlurmUser=root
StateSaveLocation={d}/state
SlurmdSpoolDir={d}/spool
SlurmctldPidFile={d}/slurmctld.pid
SlurmdPidFile={d}/slurmd.pid
SlurmctldLogFile={d}/slurmctld.log
SlurmdLogFile={d}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
GresTypes=gpu
MpiDefault=none
ReturnToService=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} Gres=gpu:{slots} State=UNKNOWN
PartitionName=main Nodes={host} Default=YES OverSubscribe=NO MaxTime=INFINITE State=UP
"""

ALL = (TaskSpooler, Pueue, HyperQueue, Gflow, Slurm)


def missing_parts(peer):
    if peer is HyperQueue:
        return [] if hyperqueue_python() else ["its Python package"]
    return [program for program in peer.needs if find(program) is None]
