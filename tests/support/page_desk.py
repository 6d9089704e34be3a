"""Somebody who looks at the web page: a daemon that listens on loopback, and browser windows that are
logged in. What a window complains of (errors of scripts, what its policy forbids) fails the test."""

import re

from live_daemon import LiveDaemon

CONFIG = """
jobs: {grace: 0s, retry_back_off: 1s}
host: {cpus: 64}
watch: {busy_period_ms: 100, idle_period_ms: 100}
making_room: {run_least: 0, cool_down: 0, ram_reserve: 64M}
"""
# Of a daemon that is not there for a while, and of rights that are not given, the browser itself
# says so; that is what such tests are about.
EXPECTED = re.compile(r"Failed to load resource|net::ERR_|EventSource")


class PageDaemon(LiveDaemon):
    def __init__(self, programs, sim="2x24G", config="", **options):
        super().__init__(programs, sim=sim, config=CONFIG + config + 'network: {listen: ["127.0.0.1:0"]}\n',
                         **options)

    def _keep_port(self):
        """After a restart it listens where the windows look for it."""
        text = (self.directory / "config.yaml").read_text()
        (self.directory / "config.yaml").write_text(text.replace("127.0.0.1:0", f"127.0.0.1:{self.port()}"))

    def start(self, wait=True):
        super().start(wait)
        if wait:
            self._keep_port()
        return self

    def port(self):
        said = re.findall(r'the network can reach the daemon at="?([^"\s]*)', self.log())
        return int(said[-1].rsplit(":", 1)[1])

    def url(self, place=""):
        return f"http://127.0.0.1:{self.port()}/{place}"

    def token(self, *flags):
        return self.run("token", "create", *flags).stdout.strip()


class Window:
    """One window of a browser, with what it complained of."""

    def __init__(self, browser, daemon, **options):
        self.daemon = daemon
        self.context = browser.new_context(locale=options.pop("locale", "en-GB"),
                                           viewport=options.pop("viewport", {"width": 1440, "height": 900}),
                                           reduced_motion="reduce", **options)
        self.context.set_default_timeout(30_000)
        self.page = self.context.new_page()
        self.complaints = []
        self.page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        self.page.on("console", self._heard)

    def _heard(self, message):
        if message.type == "error" and not EXPECTED.search(message.text):
            self.complaints.append(f"console: {message.text}")

    def log_in(self, *flags, place="#/"):
        """As the link of `gpusched page` does."""
        self.page.goto(self.daemon.url(f"#login={self.daemon.token(*flags)}"))
        self.page.wait_for_selector("[data-link=live]")
        if place != "#/":
            self.go(place)
        return self

    def go(self, place):
        self.page.evaluate("place => { location.hash = place }", place)

    def close(self):
        self.context.close()
        assert not self.complaints, self.complaints
