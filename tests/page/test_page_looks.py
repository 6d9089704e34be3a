"""Whether everybody can use the page: axe-core finds nothing on any view, in both colours and languages;
nothing is cut off on a phone; hostile names stay names."""

import pytest
from live_daemon import ROOT, wait_until

AXE = ROOT / "build/web/node_modules/axe-core/axe.min.js"
VIEWS = ["#/", "#/timeline", "#/jobs", "#/job/{job}", "#/sweep/{sweep}", "#/submit", "#/whatif",
         *(f"#/people/{tab}" for tab in ("tenants", "report", "alarms", "groups", "cards", "tokens", "audit",
                                         "settings", "about"))]
# What a view asks for has come when nothing says that it is busy.
IDLE = ("() => !document.querySelector('main [aria-busy=true]')"
        " && document.querySelector('main h1, main h2')")
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# axe is run from outside the page's policy, which forbids it inside.
RUN_AXE = """async () => {
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'];
  const found = await axe.run(document, {runOnly: rules});
  return found.violations.map((one) => `${one.id}: ${one.help}: ` +
    one.nodes.slice(0, 3).map((node) => `${node.target} ${node.html.slice(0, 200)}`).join(' | '));
}"""
HOSTILE = ["<img src=x onerror=\"document.title='owned'\">", "\u202egnimrof", "a" * 250,
           "\u0645\u0631\u062d\u0628\u0627 \U0001f600", "javascript:alert(1)", "${7*7} {{7*7}} %s%n"]


@pytest.fixture(scope="module")
def machine(daemon):
    """Something of everything."""
    work = [daemon.programs / "gpusched-simjob", "--vram", "4G", "--util", "40", "--ramp", "0s",
            "--seconds", "0"]
    job = daemon.submit("--vram", "6G", "--name", "train", "--time", "1h", "--", *work)
    daemon.wait_for(job, "running")
    sweep = daemon.submit("--gpus", "2", "--param", "lr=0.1,0.01", "--param", "seed=1:3", "--cmd",
                          "echo loss={lr}", "--name", "search")
    daemon.run("submit", "--gpus", "2", "--name", "waits", "--", "true")
    failed = daemon.submit("--gpus", "0", "--name", "broken", "--cmd", "echo no >&2; exit 3")
    daemon.ended(failed)
    daemon.run("drain", "1", "--reason", "fan is loud", check=False)
    return {"job": job, "sweep": sweep}


def shown(window, view, machine):
    window.go(view.format(**machine))
    window.page.wait_for_function(IDLE)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(window, machine, theme, language):
    if not AXE.exists():
        pytest.skip("the page was not built here: no npm")
    one = window(bypass_csp=True)
    one.page.evaluate("([theme, language]) => { localStorage.setItem('gpusched.theme', theme);"
                      " localStorage.setItem('gpusched.language', language); }", [theme, language])
    one.page.reload()
    one.page.wait_for_selector("[data-link=live]")
    one.page.add_script_tag(path=str(AXE))
    found = {}
    for view in VIEWS:
        shown(one, view, machine)
        if said := one.page.evaluate(RUN_AXE):
            found[view] = said
    assert not found, "\n".join(f"{view}: {line}" for view, lines in found.items() for line in lines)


def test_a_phone_shows_everything(window, machine):
    one = window(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    wide = {}
    for view in VIEWS:
        shown(one, view, machine)
        over = one.page.evaluate(TOO_WIDE)
        if over > 0:
            wide[view] = over
    assert not wide, f"wider than the screen, in pixels: {wide}"


def test_hostile_names_are_only_names(window, daemon, machine):
    jobs = [daemon.submit("--gpus", "2", "--name", name, "--", "true") for name in HOSTILE]
    dirty = "x" * 10_000 + "<script>document.title='owned'</script>"
    escapes = "%s\\n\\033]0;owned\\007\\033[31mred\\033[0m\\n"
    jobs.append(daemon.submit("--gpus", "0", "--", "printf", escapes, dirty))
    daemon.ended(jobs[-1])
    one = window()
    for view in ["#/", "#/jobs", *(f"#/job/{job}" for job in jobs), "#/timeline"]:
        shown(one, view, machine)
        assert one.page.title() != "owned"
        assert one.page.evaluate("document.querySelectorAll('main img, main script').length") == 0, view
        over = one.page.evaluate(TOO_WIDE)
        assert over <= 0, (view, over)
    one.go(f"#/job/{jobs[0]}")
    wait_until(lambda: HOSTILE[0] in one.page.inner_text("main"), what="the name as it is")
    daemon.run("cancel", *jobs[:-1])


def test_language_and_colours_are_kept(window):
    one = window()
    one.page.get_by_label("Language").select_option("zh")
    one.page.wait_for_selector("nav >> text=时间线")
    assert one.page.evaluate("document.documentElement.lang") == "zh-CN"
    one.page.get_by_label("配色").select_option("dark")
    assert one.page.evaluate("document.documentElement.dataset.theme") == "dark"
    one.page.reload()
    one.page.wait_for_selector("nav >> text=时间线")
    assert one.page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_everything_can_be_reached_by_keys(window):
    one = window()
    one.page.keyboard.press("?")
    one.page.wait_for_selector("dialog[open]")
    assert one.page.locator("dialog[open] kbd").count() >= 6
    one.page.keyboard.press("Escape")
    one.page.wait_for_selector("dialog[open]", state="detached")
    places = {"t": "#/timeline", "j": "#/jobs", "s": "#/submit", "p": "#/people", "o": "#/"}
    for key, place in places.items():
        one.page.keyboard.press("g")
        one.page.keyboard.press(key)
        one.page.wait_for_function("place => location.hash.startsWith(place)", arg=place)
