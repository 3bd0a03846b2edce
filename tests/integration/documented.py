"""Extracts the code blocks of a page in docs/, for tests that run them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent

_DOCS = Path(__file__).parents[2] / "docs"


def blocks(page: str, language: str) -> list[str]:
    """Returns the blocks of a language, in page order."""
    text = (_DOCS / page).read_text()
    return [
        dedent(block)
        for block in re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    ]


def block_with(page: str, language: str, word: str) -> str:
    """Returns the only block that contains a word."""
    (block,) = (block for block in blocks(page, language) if word in block)
    return block


def tables(page: str, heading: str) -> list[list[list[str]]]:
    """Returns the tables with this first heading: rows of cells without Markdown marks."""
    text = (_DOCS / page).read_text()
    found = re.findall(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    return [
        [
            [cell.strip().strip("`") for cell in line.strip("|").split("|")]
            for line in table.splitlines()
        ]
        for table in found
    ]


def table_rows(page: str, heading: str) -> list[list[str]]:
    """Returns the rows of the only table with this first heading."""
    (rows,) = tables(page, heading)
    return rows


@dataclass
class Step:
    """Holds a GitHub step that runs commands."""

    name: str
    commands: str
    env: dict[str, str] = field(default_factory=dict)


def github_steps(block: str) -> list[Step]:
    """Returns the steps of a workflow, or of a part of one, with their commands and environment."""
    steps = []
    for item in re.split(r"^ *- (?=name:|uses:)", block, flags=re.MULTILINE)[1:]:
        run = re.search(r"^( *)run:(?: \|\n((?:\1  .*\n|\n)*)| (.*)\n)", item, re.MULTILINE)
        if not run:
            continue
        name = item.splitlines()[0].removeprefix("name: ")
        commands = dedent(run[2] or run[3]).strip() + "\n"
        steps.append(Step(name, commands, _variables(item)))
    return steps


def gitlab_script(block: str, of: str) -> str:
    """Returns the lines of `script` or `before_script`."""
    listed = re.search(rf"^  {of}:\n((?:    .*\n)*)", block, re.MULTILINE)
    assert listed, block
    items = re.split(r"^    - ", listed[1], flags=re.MULTILINE)[1:]
    return "\n".join(re.sub(r"\A\|\n", "", item).strip() for item in items)


def gitlab_variables(block: str) -> dict[str, str]:
    """Returns the variables of a job."""
    return _variables(block)


def _variables(text: str) -> dict[str, str]:
    listed = re.search(r"^( *)(?:env|variables):\n((?:\1  .*\n?)*)", text, re.MULTILINE)
    if not listed:
        return {}
    pairs = (line.split(":", 1) for line in listed[2].splitlines() if line.strip())
    return {name.strip(): value.strip().strip('"') for name, value in pairs}
