#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Types for TypeScript of all documents, from their schemas.

schema_types.py > packaging/npm/documents.d.ts

Each schema becomes one interface, named after it: ubiheap.nodes/1 is NodesDocument1. A definition of a schema is in a namespace of that
name. What a type cannot say (ranges, patterns, conditions) is left out: every document fits its type, and not only documents do.
"""
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = ROOT / "docs" / "reference" / "schema"
PRIMITIVES = {"string": "string", "number": "number", "integer": "number", "boolean": "boolean", "null": "null"}
# What the types do not say.
LEFT_OUT = {"minimum", "maximum", "minItems", "maxItems", "pattern", "not", "if", "then", "else", "dependentRequired", "propertyNames"}
SAID = {"type", "description", "$ref", "required", "additionalProperties", "properties", "items", "enum", "title", "const", "oneOf", "anyOf",
        "allOf", "$schema", "$id", "$defs"}


def pascal(name):
    return "".join(word[:1].upper() + word[1:] for word in re.split(r"[^A-Za-z0-9]+", name))


def comment(text, indent):
    safe = (text or "").replace("*/", "* /")
    return f"{indent}/** {safe} */\n" if text else ""


def member_name(name):
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)


class Types:
    def __init__(self, namespace, schema):
        self.namespace, self.schema = namespace, schema

    def reference(self, target, indent):
        if target == "#":
            return f"{self.namespace}Document"
        steps = target.removeprefix("#/").split("/")
        if len(steps) == 2 and steps[0] == "$defs":
            return f"{self.namespace}.{pascal(steps[1])}"
        place = self.schema
        for step in steps:
            place = place[step]
        return self.type(place, indent)

    def object(self, schema, indent):
        inner = indent + "  "
        required = set(schema.get("required", ()))
        lines = []
        for name, value in schema.get("properties", {}).items():
            lines.append(comment(value.get("description") if isinstance(value, dict) else None, inner))
            lines.append(f"{inner}{member_name(name)}{'' if name in required else '?'}: {self.type(value, inner)};\n")
        others = schema.get("additionalProperties", True)
        if others is not False:
            value = "unknown" if schema.get("properties") or others is True else self.type(others, inner)
            lines.append(f"{inner}[name: string]: {value};\n")
        return "{\n" + "".join(lines) + indent + "}" if lines else "Record<string, never>"

    def array(self, schema, indent):
        item = self.type(schema.get("items", True), indent)
        return f"Array<{item}>"

    def of_word(self, word, schema, indent):
        if word == "object":
            return self.object(schema, indent)
        return self.array(schema, indent) if word == "array" else PRIMITIVES[word]

    def alternatives(self, schema, indent):
        """Of oneOf and anyOf; what is around them holds for each."""
        around = {key: value for key, value in schema.items() if key not in ("oneOf", "anyOf", "description", "title")}
        parts = [self.type(part, indent) for part in schema.get("oneOf") or schema.get("anyOf")]
        union = " | ".join(dict.fromkeys(parts))
        if not set(around) & {"type", "properties", "$ref"}:
            return union
        return f"({self.type(around, indent)}) & ({union})"

    def type(self, schema, indent):
        if schema is True or schema == {}:
            return "unknown"
        if schema is False:
            return "never"
        unknown = set(schema) - SAID - LEFT_OUT
        if unknown:
            raise SystemExit(f"schema_types: {self.namespace}: {sorted(unknown)}")
        if "$ref" in schema:
            return self.reference(schema["$ref"], indent)
        if "const" in schema:
            return json.dumps(schema["const"])
        if "enum" in schema:
            return " | ".join(map(json.dumps, schema["enum"]))
        if "oneOf" in schema or "anyOf" in schema:
            return self.alternatives(schema, indent)
        words = schema.get("type", "object" if "properties" in schema else None)
        if words is None:
            return "unknown"
        return " | ".join(self.of_word(word, schema, indent) for word in ([words] if isinstance(words, str) else words))

    def write(self):
        title = self.schema.get("description") or self.schema.get("title")
        text = comment(title, "") + f"export type {self.namespace}Document = {self.type({k: v for k, v in self.schema.items() if k != '$defs'}, '')};\n"
        for name, definition in self.schema.get("$defs", {}).items():
            body = comment(definition.get("description"), "  ") + f"  export type {pascal(name)} = {self.type(definition, '  ')};\n"
            text += f"export namespace {self.namespace} {{\n{body}}}\n"
        return text


def types():
    """The whole file."""
    parts = ["// SPDX-License-Identifier: MIT\n// Made by tools/schema_types.py from docs/reference/schema/.\n"]
    documents = []
    for path in sorted(SCHEMAS.glob("*.schema.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        name, version = re.fullmatch(r"ubiheap\.(.+)-(\d+)\.schema\.json", path.name).groups()
        namespace = f"{pascal(name)}{version}"
        parts.append(Types(namespace, schema).write())
        documents.append((f"ubiheap.{name}/{version}", f"{namespace}Document"))
    rows = "".join(f"  {json.dumps(schema)}: {name};\n" for schema, name in documents)
    parts.append(f"/** Documents by their member `schema`. */\nexport interface Documents {{\n{rows}}}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(types())
