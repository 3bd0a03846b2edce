"""Builds and tests one mutant after the other in a clone of the repository."""

from __future__ import annotations

import subprocess
from pathlib import Path

from mutation.commands import Commands
from mutation.everything import Everything
from mutation.fates import Fate
from mutation.sites import Site
from mutation.unit_tests import UnitTests


class Trial:
    """Sets up a clone of the committed state.

    Args:
        repository: The repository to clone.
        folder: Folder of the clone. Builds of an earlier call are reused.
        log: File for the output of all builds and runs.
        unit_only: Whether a mutant runs only its layer's own unit tests.
    """

    def __init__(self, repository: Path, folder: Path, log: Path, *, unit_only: bool) -> None:
        git = ("git", "-C", folder)
        subprocess.run(["git", "init", "-q", folder], check=True)
        subprocess.run([*git, "fetch", "-q", repository, "HEAD"], check=True)
        subprocess.run([*git, "checkout", "-q", "--force", "--detach", "FETCH_HEAD"], check=True)
        self._folder = folder
        commands = Commands(folder, log)
        self._units = UnitTests(commands)
        self._everything = None if unit_only else Everything(commands)

    def text(self, path: Path) -> str:
        """Returns the text of a file, by its path in the repository."""
        return (self._folder / path).read_text()

    def run(self, site: Site) -> Fate:
        """Builds and tests a mutant, and restores the code."""
        file = self._folder / site.path
        before = file.read_text()
        file.write_text(site.apply(before))
        try:
            return self._fate(site)
        finally:
            file.write_text(before)

    def _fate(self, site: Site) -> Fate:
        fate = self._units.fate(site)
        if fate is not Fate.SURVIVED or not self._everything:
            return fate
        if not self._everything.builds():
            return Fate.NOT_BUILT
        return Fate.SURVIVED if self._everything.passes(site) else Fate.KILLED
