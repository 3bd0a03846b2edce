"""The files that contributors expect, and the metadata of both packages."""

from __future__ import annotations

import email.message
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from email.parser import Parser
from pathlib import Path

import pytest
import yaml

_ROOT = Path(__file__).parents[2]
_PAGES = ["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "README.md", "examples/README.md"]


def _metadata(project: str, folder: Path) -> tuple[email.message.Message, Path]:
    """Returns a wheel's metadata of the project, and its folder."""
    code = "import sys; from scikit_build_core.build import prepare_metadata_for_build_wheel as p"
    subprocess.run(
        [sys.executable, "-c", f"{code}; p(sys.argv[1])", folder], cwd=_ROOT / project, check=True
    )
    (info,) = folder.glob("*.dist-info")
    return Parser().parsestr((info / "METADATA").read_text()), info


@pytest.mark.parametrize("project", [".", "python/tracectl"])
def test_a_wheel_has_its_licence_and_readme(project: str, tmp_path: Path) -> None:
    metadata, info = _metadata(project, tmp_path)
    assert metadata["License-Expression"] == "Apache-2.0"
    assert (info / "licenses/LICENSE").read_text() == (_ROOT / "LICENSE").read_text()
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata["Keywords"]
    assert metadata.get_all("Classifier")
    assert {url.split("/")[2] for url in metadata.get_all("Project-URL", [])} == {"github.com"}


@pytest.mark.parametrize("page", _PAGES)
def test_links_lead_to_files(page: str) -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", (_ROOT / page).read_text())
    assert [link for link in links if not (_ROOT / page).parent.joinpath(link).exists()] == []


def test_the_workflow_runs_ci_with_few_rights() -> None:
    workflow = yaml.safe_load((_ROOT / ".github/workflows/ci.yml").read_text())
    assert workflow["permissions"] == {"contents": "read"}
    steps = [step for job in workflow["jobs"].values() for step in job["steps"]]
    assert {".ci/run", ".ci/nightly"} <= {step.get("run") for step in steps}
    actions = [step["uses"] for step in steps if "uses" in step]
    assert [action for action in actions if not re.fullmatch(r"actions/\w+@v\d+", action)] == []


def test_issue_forms_ask_for_what_is_needed() -> None:
    forms = {
        path.stem: yaml.safe_load(path.read_text())
        for path in (_ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml")
    }
    assert set(forms) == {"bug", "wrong_verdict", "feature"}
    for form in forms.values():
        assert {"name", "description", "body"} <= set(form)
        identifiers = [item["id"] for item in form["body"]]
        assert len(identifiers) == len(set(identifiers))
    assert "tracectl info --json" in str(forms["wrong_verdict"])


def test_hooks_call_scripts_of_the_project() -> None:
    config = yaml.safe_load((_ROOT / ".pre-commit-config.yaml").read_text())
    assert [repository["repo"] for repository in config["repos"]] == ["local"]
    for hook in config["repos"][0]["hooks"]:
        script, *checks = hook["entry"].split()
        assert os.access(_ROOT / script, os.X_OK)
        # An unknown name is refused before anything runs.
        assert all(f"check {name} " in (_ROOT / script).read_text() for name in checks)


def test_the_changelog_has_the_version() -> None:
    version = re.findall(r'= "(.+)"', (_ROOT / "python/traced/_version.py").read_text())[0]
    headings = re.findall(r"^## (\S+)", (_ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[:1] == ["Unreleased"]
    assert version in headings


@pytest.fixture
def foreign(tmp_path: Path) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """Runs scripts/setup on a system without apt and compilers, with a given identity."""
    for program in ("bash", "dirname", "python3"):
        (tmp_path / program).symlink_to(shutil.which(program) or program)

    def run(release: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "os-release").write_text(release)
        return subprocess.run(
            ["bash", _ROOT / "scripts/setup"],
            env={"PATH": str(tmp_path), "OS_RELEASE": str(tmp_path / "os-release")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


@pytest.mark.parametrize(
    ("release", "advice"),
    [
        ("ID=fedora\nVERSION_ID=44\n", r"dnf install gcc-c\+\+ .*tomlplusplus-devel"),
        ("ID=nobara\nID_LIKE=fedora\n", r"dnf install gcc-c\+\+ "),
        ("ID=arch\n", "pacman -S --needed gcc .*tomlplusplus"),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"\n', r"zypper install gcc-c\+\+ "),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', r"the like of g\+\+ cmake .*libabsl-dev"),
        ("", r"the like of g\+\+ cmake "),
    ],
)
def test_setup_names_packages_of_other_distributions(
    foreign: Callable[[str], subprocess.CompletedProcess[str]], release: str, advice: str
) -> None:
    done = foreign(release)
    assert done.returncode == 1
    assert re.search(advice, done.stdout), done.stdout
    assert "there is no g++: install what is named above" in done.stderr


def test_setup_refuses_alpine(
    foreign: Callable[[str], subprocess.CompletedProcess[str]],
) -> None:
    done = foreign("ID=alpine\n")
    assert done.returncode == 1
    assert "musl" in done.stderr
