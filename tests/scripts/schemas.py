"""Checks JSON against its schemas with an independent validator: schemas.py SCHEMA FILE [SCHEMA FILE ...].

A file that ends in .jsonl has a document on each line. Needs `pip install jsonschema`.
"""

import json
import sys
from pathlib import Path

from jsonschema import validators


def documents(path: Path):
    """Returns the documents of a file, each with its line number. NaN is not JSON, although Python would read it."""

    def refuse(name):
        raise ValueError(f"{path}: {name} is no JSON")

    with path.open(encoding="utf-8", newline="\n") as file:
        lines = enumerate(file, 1) if path.suffix == ".jsonl" else [(1, file.read())]
        for number, text in lines:
            yield number, json.loads(text, parse_constant=refuse)


def main(arguments: list[str]) -> int:
    wrong = 0
    for schema_path, path in zip(arguments[::2], map(Path, arguments[1::2]), strict=True):
        schema = json.loads(Path(schema_path).read_text(encoding="utf-8"))
        kind = validators.validator_for(schema)
        kind.check_schema(schema)
        validator = kind(schema, format_checker=kind.FORMAT_CHECKER)
        checked = 0
        for number, document in documents(path):
            checked += 1
            for error in validator.iter_errors(document):
                wrong += 1
                print(f"{path}:{number}: {error.json_path}: {error.message[:500]}")
        print(f"{path}: {checked} documents")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
