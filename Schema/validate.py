#!/usr/bin/env python3
"""Validates cairn documents against the schemas beside this file.

    python3 Schema/validate.py [--expect-invalid] FILE|DIR|- …

The schema is picked by a document's "kind". A directory stands for all *.json below it, except
under invalid/ and hidden directories; "-" reads paths from standard input, one a line. Prints
"FILE: message" for each failure to standard error. Exit status: 0 when all are valid (with
--expect-invalid: when none is), 1 when not, 2 when there is nothing to validate.

Needs the package jsonschema, 4.10 (Debian: python3-jsonschema) or later.
"""
import argparse
import json
import os
import sys

from jsonschema import Draft202012Validator

HERE = os.path.dirname(os.path.abspath(__file__))
PREFIX = "urn:cairn:schema:1:"
KINDS = ["dataset", "pin", "photo", "label", "class", "run", "erasure", "redaction"]


def load_validators():
    """Returns one validator for each kind."""
    schemas = {}
    for name in ["common", *KINDS]:
        with open(os.path.join(HERE, name + ".schema.json"), encoding="utf-8") as file:
            schemas[PREFIX + name] = json.load(file)
    for schema in schemas.values():
        Draft202012Validator.check_schema(schema)
    return {
        kind: Draft202012Validator(inlined(schemas[PREFIX + kind], schemas)) for kind in KINDS}


def inlined(schema, schemas):
    """Returns the schema with what each $ref names in its place.

    No schema refers to itself, so this ends; it is several times as fast as resolving references
    for every document, and the same for jsonschema before and after its change of resolver.
    """
    if isinstance(schema, list):
        return [inlined(element, schemas) for element in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: inlined(value, schemas) for key, value in schema.items() if key != "$ref"}
    if "$ref" in schema:
        uri, _, pointer = schema["$ref"].partition("#")
        target = schemas[uri]
        for key in pointer.split("/")[1:]:
            target = target[key]
        copy["allOf"] = [inlined(target, schemas)]
    return copy


def unique_members(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a key stands twice")
    return members


def refuse_constant(name):
    raise ValueError(name + " is not JSON")


def failures(path, validators):
    """Yields why the file is not a valid document, in words."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(
                file, object_pairs_hook=unique_members, parse_constant=refuse_constant)
    except (OSError, ValueError, RecursionError) as error:
        yield str(error)
        return
    if not isinstance(document, dict):
        yield "not an object"
        return
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in validators:
        yield "“kind” is not one of " + ", ".join(KINDS)
        return
    for error in validators[kind].iter_errors(document):
        where = ".".join(str(part) for part in error.absolute_path)
        yield f"{where}: {error.message}" if where else error.message


def files(arguments):
    for argument in arguments:
        if argument == "-":
            yield from (line.rstrip("\n") for line in sys.stdin if line.strip())
        elif os.path.isdir(argument):
            for directory, names, entries in os.walk(argument):
                names[:] = sorted(n for n in names if n != "invalid" and not n.startswith("."))
                yield from (
                    os.path.join(directory, e) for e in sorted(entries) if e.endswith(".json"))
        else:
            yield argument


def main():
    parser = argparse.ArgumentParser(
        description="Validates cairn documents against their JSON Schemas.")
    parser.add_argument("paths", nargs="+", metavar="FILE|DIR|-")
    parser.add_argument(
        "--expect-invalid", action="store_true", help="every file must be invalid")
    options = parser.parse_args()

    validators = load_validators()
    count = 0
    status = 0
    for path in files(options.paths):
        count += 1
        messages = list(failures(path, validators))
        if options.expect_invalid:
            messages = [] if messages else ["valid, but expected not to be"]
        for message in messages:
            print(f"{path}: {message}", file=sys.stderr)
            status = 1
    if count == 0:
        print("nothing to validate", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
