"""What is asked of Prometheus by the dashboard and the alerts is what the server tells."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.monitoring import Metrics
from tests.deployment.shipped import text, with_changes, yaml_of
from tests.judges.court import program

DASHBOARD, ALERTS, CONFIGURATION = (
    f"monitoring/{name}" for name in ("dashboard.json", "alerts.yaml", "prometheus.yaml")
)
NAME = re.compile(r"\b(?:alexandros|process)_\w+")
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "gauge": ("",)}
ADDED = {"job", "instance", "le"}
"""Labels that Prometheus puts there, and the bounds of a histogram."""


def told() -> dict[str, set[str]]:
    """Each figure that the server tells, with its labels."""
    found: dict[str, set[str]] = {}
    metrics = Metrics()
    for kept in vars(metrics).values():
        for family in kept.describe() if hasattr(kept, "describe") else ():
            labels = set(kept._labelnames)
            found |= {f"{family.name}{suffix}": labels for suffix in SUFFIXES[family.type]}
    for family in metrics.registry.collect():
        if family.name.startswith("process_"):
            found |= {sample.name: set(sample.labels) for sample in family.samples}
    return found


def asked(name: str) -> list[tuple[str, str]]:
    """All that is asked in a file, and what is said of it there."""
    if name == DASHBOARD:
        targets = [target for panel in yaml_of(name)["panels"] for target in panel["targets"]]
        return [(target["expr"], target["legendFormat"]) for target in targets]
    return [(rule["expr"], rule["annotations"]["summary"]) for rule in rules()]


def rules() -> list[dict[str, Any]]:
    return [rule for group in yaml_of(ALERTS)["groups"] for rule in group["rules"]]


def labels_in(expression: str) -> set[str]:
    """The labels that an expression picks or sums by."""
    grouped = re.findall(r"\bby \(([^)]*)\)", expression)
    picked = re.findall(r"(\w+)=~?\"", expression)
    return {label.strip() for group in grouped for label in group.split(",")} | set(picked)


@pytest.mark.parametrize("name", [DASHBOARD, ALERTS])
def test_each_figure_asked_for_is_told_with_these_labels_and_no_other_is_said_of_it(
    name: str,
) -> None:
    known = told()
    for expression, words in asked(name):
        named = set(NAME.findall(expression))
        assert named or expression.startswith("up{")
        assert named <= known.keys(), expression
        labels = set().union(*(known[one] for one in named))
        assert labels_in(expression) <= labels | ADDED, expression
        assert set(re.findall(r"\{\{ ?(?:\$labels\.)?(\w+) ?\}\}", words)) <= labels, expression


def test_prometheus_reads_the_alerts() -> None:
    assert yaml_of(CONFIGURATION)["rule_files"] == [ALERTS.rpartition("/")[2]]
    assert "alexandros_part_failing == 1" in text(ALERTS)


def test_an_alert_reaches_a_person() -> None:
    alerting: Any = yaml_of(CONFIGURATION)["alerting"]
    assert alerting["alertmanagers"][0]["static_configs"][0]["targets"]
    routing: Any = yaml_of("monitoring/alertmanager.yaml")
    assert routing["receivers"][0]["email_configs"]
    assert routing["route"]["receiver"] == routing["receivers"][0]["name"]


def checked(folder: Path, changes: dict[str, dict[str, str]]) -> subprocess.CompletedProcess[str]:
    """What promtool says of both files; `changes`: what is made wrong in one."""
    promtool = program("promtool", package="prometheus")
    for name in (CONFIGURATION, ALERTS):
        (folder / Path(name).name).write_text(with_changes(name, changes.get(name, {})))
    asked = [promtool, "check", "config", "--lint=all", "--lint-fatal", Path(CONFIGURATION).name]
    return subprocess.run(asked, cwd=folder, capture_output=True, text=True, timeout=60)


def test_prometheus_takes_its_file_and_each_alert(tmp_path: Path) -> None:
    told = checked(tmp_path, {})
    assert told.returncode == 0, told.stdout + told.stderr
    assert f"SUCCESS: {len(rules())} rules found" in told.stdout
    asked = [program("promtool", package="prometheus"), "check", "rules", "--lint-fatal", Path(ALERTS).name]
    assert subprocess.run(asked, cwd=tmp_path, capture_output=True, timeout=60).returncode == 0


FIRING = {
    "ServerAway": ('up{job="alexandros"}', "0x30", "1x30"),
    "PartFails": ('alexandros_part_failing{part="disk"}', "1x30", "0x30"),
    "RelayAway": ("alexandros_relay_away_seconds", "0+60x30", "0x30"),
    "LettersLate": ("alexandros_letter_oldest_seconds", "900+60x30", "30x30"),
    "MailsLate": ("alexandros_mail_oldest_seconds", "900+60x30", "30x30"),
    "LoopStuck": ('alexandros_loop_age_seconds{loop="mail"}', "0+20x30", "1x30"),
    "ProcessGone": ('alexandros_role_processes{role="letters"}', "2x20 1x10", "2x20 3x2 1x2 2x6"),
    "DiskFull": ("alexandros_disk_free_bytes", "900000000x30", "2000000000x30"),
    "ThinkersLost": ("alexandros_thinkers_lost_total", "0+1x30", "3x30"),
}
"""What the server tells each minute for half an hour where an alert is to fire, and where all is well."""
WAITS, FATES = (
    'alexandros_mail_wait_seconds_bucket{le="%s"}',
    'alexandros_rows_failed_total{fate="%s",table="game"}',
)
FIRING_BY_SEVERAL = {
    "AnswersLate": (
        {WAITS % le: f"0+{step}x30" for le, step in (("60", 1), ("600", 9), ("+Inf", 9))},
        {WAITS % le: "0+9x30" for le in ("60", "600", "+Inf")},
    ),
    "RowSetAside": ({FATES % "set-aside": "0x10 1x20"}, {FATES % "put-off": "0x10 1x20"}),
}
"""The same of alerts that go by several series, or by another where all is well."""


PARTED = {
    "PartFails": ('alexandros_part_failing{part="role-clock",instance="%s"}', "0x10 1x20", "0x30"),
    "RelayAway": ('alexandros_relay_away_seconds{instance="%s"}', "0+60x30", "0x30"),
    "LettersLate": ('alexandros_letter_oldest_seconds{instance="%s"}', "900+60x30", "30x30"),
    "MailsLate": ('alexandros_mail_oldest_seconds{instance="%s"}', "900+60x30", "30x30"),
    "ProcessGone": ('alexandros_role_processes{role="letters",instance="%s"}', "2x20 1x10", "2x30"),
    "RowSetAside": ('alexandros_rows_set_aside{table="incoming",instance="%s"}', "1x10 2x20", "2x10 1x20"),
}
"""The same as two processes tell it that have pages and nothing else: out of the database, each."""


def judge_alert(folder: Path, alert: str, series: dict[str, str], *, fires: list[dict[str, Any]]) -> str:
    """What promtool says of our rules after half an hour of this, where it is to fire so; empty: it does."""
    rules, asked = folder / "alerts.yaml", folder / "asked.yaml"
    rules.write_text(text(ALERTS))
    told = [{"series": name, "values": values} for name, values in series.items()]
    asks = {
        "interval": "1m",
        "input_series": told,
        "alert_rule_test": [{"eval_time": "30m", "alertname": alert, "exp_alerts": fires}],
    }
    asked.write_text(yaml.safe_dump({"rule_files": [str(rules)], "tests": [asks]}))
    promtool = program("promtool", package="prometheus")
    judged = subprocess.run([promtool, "test", "rules", asked], capture_output=True, text=True)
    said = judged.stdout + judged.stderr
    assert (judged.returncode == 0) == ("SUCCESS" in said), said
    return "" if judged.returncode == 0 else said


def alert_fires(folder: Path, alert: str, series: dict[str, str]) -> bool:
    """Whether Prometheus would call somebody by our rules after half an hour of this."""
    said = judge_alert(folder, alert, series, fires=[])
    assert not said or (f"alertname: {alert}" in said and "got:" in said), said
    return bool(said)


def test_each_alert_is_tried() -> None:
    assert {rule["alert"] for rule in rules()} == {*FIRING, *FIRING_BY_SEVERAL}


@pytest.mark.breadth
@pytest.mark.parametrize("alert", [*FIRING, *FIRING_BY_SEVERAL])
def test_an_alert_fires_when_it_should_and_not_when_all_is_well(tmp_path: Path, alert: str) -> None:
    if alert in FIRING:
        name, *told = FIRING[alert]
        wrong, well = ({name: one} for one in told)
    else:
        wrong, well = FIRING_BY_SEVERAL[alert]
    assert alert_fires(tmp_path, alert, wrong)
    assert not alert_fires(tmp_path, alert, well)


@pytest.mark.breadth
@pytest.mark.parametrize("alert", PARTED)
def test_an_alert_fires_where_only_processes_with_pages_are_asked(tmp_path: Path, alert: str) -> None:
    name, wrong, well = PARTED[alert]
    machines = "10.0.0.1:8000", "10.0.0.2:8000"
    assert alert_fires(tmp_path, alert, {name % one: wrong for one in machines})
    assert alert_fires(tmp_path, alert, {name % machines[0]: wrong}), "one of them is enough"
    assert not alert_fires(tmp_path, alert, {name % one: well for one in machines})


@pytest.mark.breadth
@pytest.mark.parametrize("alert", [one for one in PARTED if one != "PartFails"])
def test_of_what_all_processes_share_a_person_is_told_once(tmp_path: Path, alert: str) -> None:
    name, wrong, _ = PARTED[alert]
    [rule] = [one for one in rules() if one["alert"] == alert]
    named = dict(re.findall(r'(table|role)="(\w+)"', name))
    words = dict(rule["annotations"])
    for label, value in named.items():
        words = {key: said.replace(f"{{{{ $labels.{label} }}}}", value) for key, said in words.items()}
    once = {"exp_labels": {**rule["labels"], **named}, "exp_annotations": words}
    series = {name % one: wrong for one in ("10.0.0.1:8000", "10.0.0.2:8000")}
    assert judge_alert(tmp_path, alert, series, fires=[once]) == ""


@pytest.mark.parametrize(
    "changes",
    [
        {ALERTS: {"increase(": "increases("}},
        {ALERTS: {"for: 10m": "for: ten minutes"}},
        {ALERTS: {"$labels.part": "$label.part"}},
        {CONFIGURATION: {"rule_files": "rules_files"}},
        {CONFIGURATION: {"scrape_interval: 15s": "scrape_interval: 15"}},
    ],
    ids=lambda changes: "".join(str(after) for one in changes.values() for after in one.values()),
)
def test_control_prometheus_refuses_what_is_wrong(tmp_path: Path, changes) -> None:
    assert checked(tmp_path, changes).returncode != 0
