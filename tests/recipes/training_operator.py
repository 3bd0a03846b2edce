"""Checks a PyTorchJob, JSON on standard input, against the models of the training operator's SDK.

Runs in the interpreter of .venv-recipes. Exits with a message about the first error, or with 0.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any

from kubeflow.training import models

_PLAIN: dict[str, Any] = {"str": str, "int": int, "bool": bool, "float": (int, float)}


def hold(value: Any, kind: str, at: str) -> None:
    """Exits if a value does not match a kind: a class of the SDK, or a type name."""
    if nested := re.fullmatch(r"dict\(str, (.+)\)", kind):
        for name, item in value.items():
            hold(item, nested[1], f"{at}.{name}")
    elif nested := re.fullmatch(r"list\[(.+)\]", kind):
        for number, item in enumerate(value):
            hold(item, nested[1], f"{at}[{number}]")
    elif kind in _PLAIN:
        if not isinstance(value, _PLAIN[kind]):
            sys.exit(f"{at} is no {kind}: {value!r}")
    elif kind != "object":
        _hold_fields(value, getattr(models, kind), at)


def _hold_fields(value: dict[str, Any], model: Any, at: str) -> None:
    names = {known: own for own, known in model.attribute_map.items()}
    for name, item in value.items():
        if name not in names:
            sys.exit(f"{at} has no field {name}: {sorted(names)}")
        hold(item, model.openapi_types[names[name]], f"{at}.{name}")


hold(json.load(sys.stdin), "KubeflowOrgV1PyTorchJob", "PyTorchJob")
