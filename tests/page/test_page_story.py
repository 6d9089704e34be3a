"""One sitting at the page: a job is submitted with its preview, runs, makes room for an urgent one, comes
back; its log is read; it is cancelled."""

import re

from live_daemon import wait_until


def see(page, words, seconds=30):
    wait_until(lambda: words in page.inner_text("main"), seconds, f"{words!r} on the page")


def simjob(daemon, vram):
    return f"{daemon.programs}/gpusched-simjob --vram {vram}G --util 60 --ramp 0s --seconds 0"


def test_from_submit_to_cancel(window, daemon):
    one = window(place="#/submit")
    page = one.page
    page.get_by_label(re.compile("^Command")).first.fill(f"echo the-first-line; exec {simjob(daemon, 15)}")
    page.get_by_label(re.compile("^VRAM")).first.fill("16G")
    page.get_by_label(re.compile("^Name")).first.fill("story")
    page.get_by_label(re.compile("^Directory")).first.fill("/tmp")
    see(page, "Starts now")
    assert "gpusched submit" in page.inner_text("main"), "the same as a command line"
    page.get_by_role("button", name=re.compile("^Submit")).last.click()
    wait_until(lambda: "#/job/" in page.url or page.locator("a[href^='#/job/']").count(), what="its number")
    job = max(row["id"] for row in daemon.jobs())
    daemon.wait_for(job, "running")
    one.go(f"#/job/{job}")
    page.wait_for_selector("main [data-state=running]")
    see(page, "the-first-line")

    fill = daemon.submit("--vram", "20G", "--priority", "normal", "--", *simjob(daemon, 15).split())
    daemon.wait_for(fill, "running")
    rush = daemon.submit("--priority", "urgent", "--vram", "20G", "--name", "rush", "--",
                         *simjob(daemon, 18).split())
    daemon.wait_for(rush, "running", seconds=60)
    left = wait_until(lambda: next((a for a in (job, fill) if daemon.job(a)["state"] == "paused"), None),
                      60, "it aside")
    one.go(f"#/job/{left}")
    page.wait_for_selector("main [data-state=paused]")
    see(page, f"{rush}")
    one.go("#/")
    see(page, "aside")
    daemon.run("cancel", rush)
    daemon.wait_for(left, "running", seconds=60)
    one.go(f"#/job/{left}")
    page.wait_for_selector("main [data-state=running]")

    one.go(f"#/job/{job}")
    page.get_by_role("button", name=re.compile("^Cancel")).first.click()
    dialog = page.locator("dialog[open]")
    wait_until(lambda: str(job) in dialog.inner_text(), what="what it will do")
    assert daemon.job(job)["state"] in ("running", "paused"), "nothing is done before it is said"
    dialog.get_by_role("button", name=re.compile("^Cancel")).first.click()
    daemon.ended(job)
    page.wait_for_selector("main [data-state=cancelled]")
    daemon.run("cancel", fill)


def test_a_log_is_followed_searched_and_downloaded(window, daemon):
    go = daemon.directory / "go"
    go.unlink(missing_ok=True)
    lines = (f"for n in $(seq 1 5000); do echo line-$n; done; until test -e {go}; do sleep 0.05; done; "
             "echo the-last-line")
    job = daemon.submit("--gpus", "0", "--cmd", lines)
    daemon.wait_for(job, "running")
    one = window(place=f"#/job/{job}")
    page = one.page
    see(page, "line-5000")
    assert "line-100\n" not in page.inner_text("main"), "lines that are out of sight are not in the document"
    go.touch()
    see(page, "the-last-line")
    daemon.ended(job)
    page.keyboard.press("/")
    page.keyboard.type("line-1234")
    page.keyboard.press("Enter")
    see(page, "line-1234")
    with page.expect_download() as coming:
        page.get_by_role("link", name=re.compile("ownload")).first.click()
    text = coming.value.path().read_text()
    assert text.startswith("line-1\n") and text.endswith("the-last-line\n")


def test_a_change_of_the_daemon_is_on_the_screen_without_asking(window, daemon):
    one = window()
    job = daemon.submit("--gpus", "0", "--hold", "--name", "called-first", "--", "true")
    see(one.page, "called-first")
    daemon.run("set", job, "--name", "called-second")
    see(one.page, "called-second")
    daemon.run("cancel", job)


def test_a_place_can_be_sent_to_somebody(window, daemon):
    job = daemon.submit("--gpus", "0", "--name", "linked", "--", "true")
    daemon.ended(job)
    one = window()
    one.page.goto(daemon.url(f"#/job/{job}"))
    see(one.page, "linked")
    one.go("#/job/999999")
    see(one.page, "there is no job 999999")
