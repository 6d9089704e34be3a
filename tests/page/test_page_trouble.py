"""The page when things change under it: the daemon restarts, a login ends, somebody may not do a thing, an
alarm is silenced."""

import re

import pytest
from live_daemon import wait_until
from page_desk import PageDaemon, Window


def submit(daemon, *flags, command="sleep 300"):
    return daemon.submit("--gpus", "0", *flags, "--cmd", command)


@pytest.fixture
def own(programs):
    with PageDaemon(programs, sim="1x24G") as daemon:
        yield daemon


def silences(daemon):
    return daemon.http("GET", "/v1/alarms").json()["silences"]


def see(page, words):
    wait_until(lambda: words in page.inner_text("main"), what=f"{words!r} on the page")


def test_a_restart_of_the_daemon_needs_no_reload(browser, own):
    window = Window(browser, own).log_in()
    page = window.page
    page.evaluate("window.neverReloaded = true")
    before = submit(own, "--name", "before-restart", "--hold")
    see(page, "before-restart")
    own.kill()
    page.wait_for_selector("[data-link=lost]")
    assert re.search(r"ago|no connection", page.inner_text("[data-link=lost]"))
    assert "before-restart" in page.inner_text("main"), "what was known stays in sight"
    own.start()
    page.wait_for_selector("[data-link=live]")
    submit(own, "--name", "after-restart", "--hold")
    see(page, "after-restart")
    see(page, "before-restart")
    own.run("cancel", before)
    assert page.evaluate("window.neverReloaded") is True
    window.close()


def test_a_change_is_seen_in_all_windows_of_a_browser(browser, own):
    """They share one stream; when the one that listens is closed, another one does."""
    window = Window(browser, own).log_in()
    second = window.context.new_page()
    second.goto(own.url())
    second.wait_for_selector("[data-card]")
    submit(own, "--name", "for-both", "--hold")
    see(window.page, "for-both")
    see(second, "for-both")
    window.page.close()
    submit(own, "--name", "for-the-rest", "--hold")
    see(second, "for-the-rest")
    window.close()


def test_a_login_that_ends_asks_for_another_and_comes_back_to_its_place(browser, own):
    token = own.token("--name", "short")
    window = Window(browser, own)
    window.page.goto(own.url(f"#login={token}"))
    window.page.wait_for_selector("[data-link=live]")
    assert "login" not in window.page.url and token not in window.page.url
    window.go("#/jobs")
    own.run("token", "revoke", token.split("_")[1])
    window.page.wait_for_selector("#token")
    assert "gpusched page" in window.page.inner_text("main")
    window.page.fill("#token", "gpst_wrong_wrong")
    window.page.keyboard.press("Enter")
    window.page.wait_for_selector("[role=alert]")
    window.page.fill("#token", own.token())
    window.page.keyboard.press("Enter")
    window.page.wait_for_selector("[data-link=live]")
    assert "#/jobs" in window.page.url
    window.close()


def test_a_token_that_expires_ends_what_is_shown(browser, own):
    window = Window(browser, own)
    window.page.goto(own.url(f"#login={own.token('--expires', '5s')}"))
    window.page.wait_for_selector("[data-link=live]")
    window.page.wait_for_selector("#token", timeout=60_000)
    assert window.page.locator("[data-card]").count() == 0, "nothing of the machine stays in sight"
    window.close()


def test_a_viewer_is_offered_no_change(browser, own):
    job = submit(own, "--name", "not-mine-to-end")
    own.wait_for(job, "running")
    window = Window(browser, own).log_in("--role", "viewer")
    forbidden = re.compile(r"^(Cancel|Hold|Release|Pause|Resume|Requeue|Drain|Revoke|Make)\b")
    people = [f"#/people/{tab}" for tab in ("tenants", "alarms", "cards", "groups")]
    for view in ("#/", "#/jobs", f"#/job/{job}", *people):
        window.go(view)
        window.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')"
                                      " && document.querySelector('main h1, main h2')")
        offered = [one for one in window.page.get_by_role("button").all()
                   if forbidden.match(one.inner_text()) and one.is_enabled() and one.is_visible()]
        assert not offered, (view, [one.inner_text() for one in offered])
    cancel = "id => fetch(`/v1/jobs/${id}/cancel`, {method: 'POST'}).then((one) => one.status)"
    refused = window.page.evaluate(cancel, job)
    assert refused == 403
    own.run("cancel", job)
    window.close()


def test_an_alarm_is_seen_and_silenced(browser, own):
    window = Window(browser, own).log_in("--role", "admin", place="#/people/alarms")
    failed = submit(own, "--name", "broken", command="exit 3")
    own.ended(failed)
    page = window.page
    wait_until(lambda: page.locator(".alarm").count() > 0, what="the alarm")
    page.locator(".alarm").first.get_by_role("button", name=re.compile("^Silence")).click()
    dialog = page.locator("dialog[open]")
    dialog.get_by_role("button", name=re.compile("^Silence")).click()
    dialog.wait_for(state="detached")
    wait_until(lambda: silences(own), what="the silence")
    # What the alarm itself says depends on whether it is still on.
    page.get_by_role("button", name=re.compile("^End silence")).first.click()
    wait_until(lambda: page.locator("dialog[open]").count() or not silences(own), what="what follows")
    if page.locator("dialog[open]").count():
        page.locator("dialog[open] button.main, dialog[open] button.danger").first.click()
    wait_until(lambda: not silences(own), what="its end")
    window.close()
