"""A browser for all tests of a file, and windows that are closed with their test."""

import browser as browsers
import pytest
from page_desk import PageDaemon, Window


@pytest.fixture(scope="session")
def browser():
    with browsers.playwright() as started:
        one = browsers.launch(started)
        yield one
        one.close()


@pytest.fixture(scope="module")
def daemon(programs):
    with PageDaemon(programs) as running:
        yield running


@pytest.fixture
def window(browser, daemon):
    """Makes windows: window() is logged in as who runs the daemon."""
    made = []

    def make(*flags, place="#/", at=daemon, **options):
        one = Window(browser, at, **options)
        made.append(one)
        return one.log_in(*flags, place=place)

    yield make
    for one in made:
        one.close()
