"""HyperQueue as its Python package brings it: a server and its workers in this process, told what
to do line by line on standard input. Run by the Python of the environment that has the package.

    worker CORES | submit COUNT WORD…      answered by one line, "ok" or "failed: …"
"""
import os
import shlex
import sys

from hyperqueue import Job
from hyperqueue.cluster import LocalCluster, WorkerConfig


def job_of(count, command):
    job = Job(max_fails=None)
    for _ in range(count):
        job.program(command, stdout=None, stderr=None)
    return job


def main():
    # The package writes tables to standard output; the answers have a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with LocalCluster(server_dir=sys.argv[1]) as cluster:
        client = cluster.client()
        for line in sys.stdin:
            verb, number, *command = shlex.split(line)
            try:
                if verb == "worker":
                    cluster.start_worker(WorkerConfig(cores=int(number)))
                else:
                    client.submit(job_of(int(number), command))
                print("ok", file=answers, flush=True)
            except Exception as problem:  # pylint: disable=broad-except
                print(f"failed: {problem}", file=answers, flush=True)


main()
