"""One stream for a page: jobs, cards, alarms and logs, which goes on where it stopped."""

import json

import raw_http


def open_stream(daemon, topics, last=None):
    client = raw_http.connect(daemon.socket)
    come_back = f"Last-Event-ID: {last}\r\n" if last else ""
    client.sendall(f"GET /v1/events?topics={topics} HTTP/1.0\r\nHost: x\r\n{come_back}\r\n".encode())
    return client.makefile("rb")


def events(stream):
    """(kind, id, data), one after the other."""
    kind = last = data = None
    for line in stream:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "event":
            kind = value
        elif name == "id":
            last = value
        elif name == "data":
            data = json.loads(value)
        elif name == "" and data is not None:
            yield kind, last, data
            kind = last = data = None


def read_log(stream, until):
    """What the log says until then, the last id, and which kinds of events came with it."""
    text, kinds = "", set()
    for kind, last, data in events(stream):
        kinds.add(kind)
        if kind == "log":
            assert data["next"] == data["offset"] + len(data["text"].encode())
            text += data["text"]
            if text.endswith(until):
                return text, last, kinds
    raise AssertionError(f"the stream ended after {text[-200:]}")


def test_logs_go_on_where_the_client_stopped(running):
    go = running.directory / "go"
    job = running.submit("--gpus", "0", "--cmd",
                         f"seq 1000; while [ ! -e {go} ]; do sleep 0.02; done; seq 1001 9000; echo done")
    topics = f"jobs,cards,alarms,logs:{job}"
    with open_stream(running, topics) as stream:
        first, last, kinds = read_log(stream, "\n1000\n")
    assert {"cards", "alarms", "log"} <= kinds
    go.touch()
    running.ended(job)
    with open_stream(running, topics, last) as stream:
        rest, _, kinds = read_log(stream, "done\n")
    assert "job" in kinds, "what it missed of the jobs"
    assert (first + rest).split() == [*map(str, range(1, 9001)), "done"]
