"""The files under deploy/ name what exists: settings, commands, metrics, files, values. Nothing is deployed here."""

import json
import re
import shlex
import shutil
import subprocess
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import typer
import yaml
from prometheus_client.parser import text_string_to_metric_families

from service.base.settings import PREFIX, Settings
from service.cli import app
from service.observe.metrics import KINDS, OUTCOMES, Metrics
from service.store.outside import Outcome
from service.transparency.alarm import METRICS

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
CHART = DEPLOY / "helm" / "tabularium"
TEMPLATES = sorted((CHART / "templates").iterdir())
SETTINGS = {PREFIX + name.upper() for name in Settings.__struct_fields__}
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
VALUES: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
ALERTS: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana" / "tabularium.json").read_text())
FILES = [DEPLOY / "Dockerfile", DEPLOY / "compose.yaml", DEPLOY / "prometheus" / "alerts.yml", *TEMPLATES]


# --- settings and commands ---


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_setting_that_is_named_exists(file: Path):
    named = set(re.findall(rf"{PREFIX}[A-Z_]+", file.read_text()))
    assert named - {PREFIX} <= SETTINGS


def test_the_chart_passes_on_settings_that_exist():
    assert {PREFIX + name for name in VALUES["settings"]} <= SETTINGS
    assert all(isinstance(value, str) for value in VALUES["settings"].values()), "or YAML would change them"


def commands() -> Iterator[tuple[str, list[str]]]:
    for name, service in COMPOSE["services"].items():
        if service.get("image") == "tabularium":
            yield f"compose {name}", service["command"]
    for file in TEMPLATES:
        for given in re.findall(r"^ *args: \[(.+)\]$", file.read_text(), re.MULTILINE):
            yield f"helm {file.name}", given.split(", ")
    default = re.search(r"^CMD (\[.+\])$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert default is not None
    yield "Dockerfile", json.loads(default[1])
    for file in (*FILES, DEPLOY / "compose" / "login.sh"):
        for said in re.findall(r"(?:`|-- |exec service )tabularium ([a-z][^`\n]*)[`\n]", file.read_text()):
            yield file.name, shlex.split(said)


@pytest.mark.parametrize(("where", "given"), list(commands()), ids=lambda each: each if isinstance(each, str) else "")
def test_every_command_exists(where: str, given: list[str]):
    command: Any = typer.main.get_command(app)
    rest = list(given)
    while hasattr(command, "commands"):
        assert rest, f"{where}: {given} names a group"
        assert rest[0] in command.commands, (where, given)
        command = command.commands[rest.pop(0)]
    command.make_context(given[0], rest)  # raises for an option or an argument that there is not


# --- the image ---


def test_the_image_is_built_from_what_is_there_as_nobody_in_particular():
    text = (DEPLOY / "Dockerfile").read_text()
    let_in = re.findall(r"^!(\S+)$", (DEPLOY / "Dockerfile.dockerignore").read_text(), re.MULTILINE)
    copied = [
        source for line in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE) for source in line.split()
    ]
    assert sorted(copied) == sorted(let_in)
    assert all([*ROOT.glob(source)] for source in copied)
    last = text.rpartition("\nFROM ")[2]
    assert re.search(r"^USER 10001:10001$", last, re.MULTILINE)
    pinned = re.search(r"UV_VERSION=(\S+)", (DEPLOY / "bootstrap.sh").read_text())
    assert pinned is not None
    assert f"uv=={pinned[1]}" in text


# --- compose ---


def test_every_part_of_the_composition_is_confined():
    for name, service in COMPOSE["services"].items():
        if service.get("image") == "tabularium":
            assert service["read_only"] is True, name
            assert service["cap_drop"] == ["ALL"], name
            assert "no-new-privileges:true" in service["security_opt"], name
        for source in (str(volume).split(":")[0] for volume in service.get("volumes", [])):
            assert source in COMPOSE["volumes"] or (DEPLOY / source).exists(), (name, source)
        for needed, how in service["depends_on"].items() if isinstance(service.get("depends_on"), dict) else ():
            waits_for_health = how["condition"] == "service_healthy"
            has_check = (
                "healthcheck" in COMPOSE["services"][needed] or COMPOSE["services"][needed]["image"] == "tabularium"
            )
            assert has_check or not waits_for_health, (name, needed)


def test_nothing_but_the_proxy_and_the_dashboard_is_reached_from_outside():
    assert [name for name, service in COMPOSE["services"].items() if "ports" in service] == ["proxy", "grafana"]
    assert all(part["networks"] == ["inside"] for part in (COMPOSE["services"][name] for name in ("postgres", "redis")))
    assert COMPOSE["networks"]["inside"]["internal"] is True


def test_no_password_is_written_down():
    for name, service in COMPOSE["services"].items():
        for variable, value in service.get("environment", {}).items():
            if "PASSWORD" in variable:
                assert value.startswith("${"), (name, variable)
            assert "://" not in value or re.search(r"://\w*:\$\{[^}]+\}@", value), (name, variable)
    assert VALUES["database"]["serviceUrl"] == VALUES["database"]["ownerUrl"] == VALUES["redis"]["url"] == ""


# --- Patroni ---


def test_patroni_acknowledges_nothing_that_only_the_primary_has():
    patroni = yaml.safe_load((DEPLOY / "patroni" / "patroni.yaml").read_text())
    dynamic = patroni["bootstrap"]["dcs"]
    assert dynamic["synchronous_mode"] is dynamic["synchronous_mode_strict"] is True
    assert dynamic["ttl"] >= dynamic["loop_wait"] + 2 * dynamic["retry_timeout"], "or Patroni changes them"
    assert "pg_hba" in patroni["postgresql"], "under `bootstrap` it counts for the first start alone"


# --- metrics ---


def expressions() -> Iterator[tuple[str, str]]:
    for rule in ALERTS:
        yield f"alert {rule['alert']}", rule["expr"]
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield f"panel {panel['title']}", target["expr"]
    for query in re.findall(r"^ *query: (.+)$", (CHART / "templates" / "scaling.yaml").read_text(), re.MULTILINE):
        yield "scaling by " + query[:20], query


def known_metrics() -> dict[str, set[str]]:
    """Return the names of all samples with the names of their labels."""
    metrics = Metrics()
    metrics.count_request("GET", "/", 200, 0.1)
    metrics.refusals.labels("ruleset", "rule").inc()
    metrics.cache("games").hit()
    metrics.watch_pool({"busy": lambda: 1})
    for gauge in (metrics.projection_behind, metrics.projection_behind_seconds, metrics.projection_stopped):
        gauge.labels("lobby").set(0)
    found: dict[str, set[str]] = {"up": set(), **{f"tabularium_audit_{name}": set[str]() for name in METRICS}}
    for family in text_string_to_metric_families(metrics.exposition("")[0].decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


@pytest.mark.parametrize(("where", "expression"), list(expressions()), ids=lambda each: each.partition(" ")[2][:20])
def test_every_metric_and_label_that_is_asked_for_exists(where: str, expression: str):
    known = known_metrics()
    asked = re.findall(r"\b((?:tabularium|process|python)_\w+|up)\b(?:\{([^}]*)\})?", expression)
    assert asked, where
    given = {"instance", "job"}
    labels = set[str]().union(*(known[name] for name, _ in asked))
    for name, selector in asked:
        assert set(re.findall(r"(\w+)\s*(?:=~|!=|!~|=)", selector)) <= known[name] | given, (where, name)
    for grouping in re.findall(r"\b(?:by|on)\s*\(([^)]*)\)", expression):
        assert {label.strip() for label in grouping.split(",")} <= labels | given, where
    for outcomes in re.findall(r'outcome=~?"([^"]+)"', expression):
        assert {*outcomes.split("|")} <= {*OUTCOMES, *get_args(Outcome)}, where


def test_every_alert_says_what_to_do():
    for rule in ALERTS:
        assert rule["labels"]["severity"] in ("critical", "warning", "info")
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["annotations"]["description"].endswith(".")
    assert len({rule["alert"] for rule in ALERTS}) == len(ALERTS)


def test_the_kinds_of_commands_are_those_that_are_counted():
    source = "".join(
        (ROOT / "service" / "games" / name).read_text() for name in ("acts.py", "clocks.py", "ends.py", "seats.py")
    )
    assert {"create", "fork", "rule", *re.findall(r'^    kind = "([a-z-]+)"', source, re.MULTILINE)} == set(KINDS)


# --- the chart ---


def test_the_chart_uses_every_value_and_no_other():
    def leaves(value: Any, path: str = "") -> Iterator[str]:
        if isinstance(value, dict) and value and path not in ("resources", "projections.resources", "settings"):
            for name, inner in value.items():
                yield from leaves(inner, f"{path}.{name}".strip("."))
        else:
            yield path

    text = "".join(file.read_text() for file in TEMPLATES)
    used = set(re.findall(r"\.Values\.([A-Za-z.]+)", text))
    assert used == set(leaves(VALUES))


def test_the_chart_believes_no_neighbour_about_who_asked():
    """In a cluster every pod has a private address, and would have any number of addresses to be limited by."""
    assert VALUES["settings"]["PROXIES"] == ""
    ingress = (CHART / "templates" / "ingress.yaml").read_text().splitlines()
    assert ingress[0] == "{{- if .Values.ingress.enabled }}"
    assert re.search(r'\brequired "[^"]+" \(\.Values\.settings\)\.PROXIES \}\}$', ingress[1])


def test_what_trusts_docker_networks_is_reached_from_no_other():
    assert "ports" not in COMPOSE["services"]["service"]
    assert "trusted_proxies" not in (DEPLOY / "compose" / "Caddyfile").read_text(), "it would pass on what it is told"


def test_the_templates_of_the_chart_close_what_they_open():
    for file in TEMPLATES:
        text = re.sub(r"\{\{-? */\*.*?\*/ *-?\}\}", "", file.read_text(), flags=re.DOTALL)
        words = re.findall(r"\{\{-? *(if|with|range|define|end)\b", text)
        assert words.count("end") == len(words) - words.count("end"), file.name
    parts = (CHART / "templates" / "_parts.tpl").read_text()
    defined = set(re.findall(r'define "([^"]+)"', parts))
    included = set(re.findall(r'include "([^"]+)"', "".join(file.read_text() for file in TEMPLATES)))
    assert included == defined


def test_a_service_of_our_name_does_not_become_a_setting():
    # Kubernetes would set TABULARIUM_PORT=tcp://… in every pod beside a Service named tabularium.
    assert "enableServiceLinks: false" in (CHART / "templates" / "_parts.tpl").read_text()


# --- webhooks ---


def test_processes_get_the_key_of_webhooks():
    assert COMPOSE["services"]["service"]["environment"]["TABULARIUM_WEBHOOK_KEY"] == "${WEBHOOK_KEY:-}"
    template = (CHART / "templates" / "deployment.yaml").read_text()
    assert "TABULARIUM_WEBHOOK_KEY" in template
    assert "TABULARIUM_PUBLIC_URL" in template


# --- the transparency log ---


def test_processes_get_the_key_of_the_transparency_log_and_a_directory_to_write_to():
    """Without a key nothing is signed; without the directory nobody notices an old copy of the database."""
    service = COMPOSE["services"]["service"]
    assert service["environment"]["TABULARIUM_LOG_KEY"] == "${LOG_KEY:-}"
    assert [volume.split(":")[1] for volume in service["volumes"]] == ["/data"]
    template = (CHART / "templates" / "deployment.yaml").read_text()
    assert "TABULARIUM_LOG_KEY" in template
    assert "mountPath: /data" in template
    assert "TABULARIUM_DATA=/data" in (DEPLOY / "Dockerfile").read_text()


def test_an_environment_that_uv_made_gets_the_pip_that_it_lacks(tmp_path: Path) -> None:
    """Both commands of the README stopped there with "No module named pip"."""
    (tmp_path / "deploy").mkdir()
    shutil.copy(DEPLOY / "bootstrap.sh", tmp_path / "deploy")
    venv.create(tmp_path / ".venv", with_pip=False)
    assert not list(tmp_path.glob(".venv/lib/*/site-packages/pip"))
    ran = subprocess.run(
        ["bash", "-ec", "source deploy/bootstrap.sh; pip --version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, str(tmp_path) in ran.stdout) == (0, True), ran.stderr


# --- Citus ---


def test_the_composition_for_machines_names_what_is_there_and_no_password():
    text = (DEPLOY / "citus" / "compose.yaml").read_text()
    machines: dict[str, Any] = yaml.safe_load(text.replace("!override", ""))
    for name, service in machines["services"].items():
        for source in (str(volume).split(":")[0] for volume in service.get("volumes", [])):
            assert source in machines["volumes"] or (DEPLOY / source).exists(), (name, source)
        for needed in service.get("depends_on", {}):
            assert needed in machines["services"], (name, needed)
        for variable, value in service.get("environment", {}).items():
            assert "PASSWORD" not in variable or value.startswith("${"), (name, variable)
        assert "ports" not in service
        # Added to what the composition for one machine has of it.
        assert name in COMPOSE["services"] or service["networks"] == ["inside"]
    assert {"postgres", "migrate"} <= machines["services"].keys() & COMPOSE["services"].keys()


def test_the_values_for_machines_are_values_of_the_chart():
    values: dict[str, Any] = yaml.safe_load((DEPLOY / "citus" / "values.yaml").read_text())
    for part, names in values.items():
        assert names.keys() <= VALUES[part].keys(), part


def test_nothing_was_left_at_the_top_of_the_tree() -> None:
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    tops = {name.partition("/")[0] for name in kept.split("\0") if name}
    assert {top for top in tops if not top.startswith(".")} == {
        *("README.md", "pyproject.toml", "uv.lock"),
        *("deploy", "domain", "openapi", "projections", "service", "tests"),
    }
