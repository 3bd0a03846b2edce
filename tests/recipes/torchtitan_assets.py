"""Makes synthetic training data for torchtitan's debug model: a tokenizer and texts."""

from __future__ import annotations

import json
from pathlib import Path

_WORDS = 100


def make(folder: Path) -> None:
    """Writes them where its debug configuration expects them."""
    assets = folder / "tests/assets"
    (assets / "tokenizer").mkdir(parents=True)
    (assets / "c4_test").mkdir()
    vocabulary = ["<s>", "</s>", "<unk>", *(f"w{i}" for i in range(_WORDS))]
    tokenizer = {
        "version": "1.0",
        "added_tokens": [],
        "pre_tokenizer": {"type": "Whitespace"},
        "model": {
            "type": "WordLevel",
            "vocab": {word: number for number, word in enumerate(vocabulary)},
            "unk_token": "<unk>",
        },
    }
    (assets / "tokenizer/tokenizer.json").write_text(json.dumps(tokenizer))
    marks = {"bos_token": "<s>", "eos_token": "</s>"}
    (assets / "tokenizer/tokenizer_config.json").write_text(json.dumps(marks))
    texts = (" ".join(f"w{(i * 7 + j * j) % _WORDS}" for j in range(50)) for i in range(200))
    lines = (json.dumps({"text": text}) + "\n" for text in texts)
    (assets / "c4_test/data.json").write_text("".join(lines))
