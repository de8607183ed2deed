"""A TypeScript program that reads every field of what the contract describes by its name, and writes it again.

It is made of the document, and has no cast: where shapes are told apart it asks for the discriminator, and the compiler
proves that nothing is left over. So it compiles only when the generated types narrow, and what it writes is what it was
given only when the document names every field.
"""

import json
import re
from collections.abc import Mapping
from typing import Any, Final

ROOTS: Final = ("EventView", "LoggedEvent", "StateView", "OptionsView")
"""What is read. The main program takes lines of `{"shape", "value"}` and writes a line with the value for each."""

_HEAD: Final = """\
import { readFileSync, writeFileSync } from "node:fs";
import type { components } from "./contract.js";

type Schemas = components["schemas"];

function unknown(value: never): never {
  throw new Error(`not in the contract: ${JSON.stringify(value)}`);
}

// Some generators say of any name that its value may be missing.
function mapped<T, U>(values: { [name: string]: T | undefined }, read: (value: T) => U): { [name: string]: U } {
  const made: { [name: string]: U } = {};
  for (const [name, value] of Object.entries(values)) if (value !== undefined) made[name] = read(value);
  return made;
}
"""

_MAIN: Final = """\
const lines = readFileSync(process.argv[2] ?? "", "utf8").split("\\n").filter((line) => line);
writeFileSync(process.argv[3] ?? "", lines.map((line) => JSON.stringify(reread(JSON.parse(line)))).join("\\n"));
"""


def program(document: Mapping[str, Any]) -> str:
    """Return the program."""
    return _Writer(document["components"]["schemas"]).whole()


class _Writer:
    def __init__(self, schemas: Mapping[str, Any]) -> None:
        self._schemas = schemas
        self._functions: dict[str, str] = {}

    def whole(self) -> str:
        cases = [
            f'    case "{name}":\n      return {self._value({"$ref": f"/{name}"}, "given.value")};\n' for name in ROOTS
        ]
        given = " | ".join(f'{{ shape: "{name}"; value: Schemas["{name}"] }}' for name in ROOTS)
        reread = f"function reread(given: {given}): unknown {{\n  switch (given.shape) {{\n{''.join(cases)}  }}\n}}\n"
        return "\n".join((_HEAD, *self._functions.values(), reread, _MAIN))

    def _value(self, schema: Mapping[str, Any], name: str) -> str:
        """Return an expression for the value `name`, read as `schema` says; the name itself where it is plain."""
        if "$ref" in schema:
            shape = schema["$ref"].rpartition("/")[2]
            return f"read{shape}({name})" if self._function(shape) else name
        if "anyOf" in schema:
            kinds = [each for each in schema["anyOf"] if each != {"type": "null"}]
            read = self._value(kinds[0], name) if len(kinds) == 1 else name
            return name if read == name else f"{name} === null ? null : {read}"
        if isinstance(schema.get("items"), dict):
            read = self._value(schema["items"], "each")
            return name if read == "each" else f"{name}.map((each) => {read})"
        if isinstance(schema.get("additionalProperties"), dict):
            read = self._value(schema["additionalProperties"], "each")
            return name if read == "each" else f"mapped({name}, (each) => {read})"
        return name

    def _function(self, shape: str) -> bool:
        """Add the function that reads a shape; return whether there is one: not for texts and numbers."""
        if shape in self._functions:
            return True
        schema = self._schemas[shape]
        if "discriminator" not in schema and "properties" not in schema:
            return False
        self._functions[shape] = ""  # so that a shape may hold its own kind
        body = self._switch(schema["discriminator"]) if "discriminator" in schema else self._object(schema)
        self._functions[shape] = f'function read{shape}(value: Schemas["{shape}"]): Schemas["{shape}"] {{\n{body}}}\n'
        return True

    def _switch(self, discriminator: Mapping[str, Any]) -> str:
        cases = "".join(
            f"    case {json.dumps(told)}:\n      return {self._value({'$ref': place}, 'value')};\n"
            for told, place in discriminator["mapping"].items()
        )
        rest = "    default:\n      return unknown(value);\n"
        return f"  switch (value.{discriminator['propertyName']}) {{\n{cases}{rest}  }}\n"

    def _object(self, schema: Mapping[str, Any]) -> str:
        lines: list[str] = []
        for name, field in schema["properties"].items():
            key, place = (name, f"value.{name}") if re.fullmatch(r"\w+", name) else (f'"{name}"', f'value["{name}"]')
            read = self._value(field, place)
            if read != place and name not in schema.get("required", ()):
                read = f"{place} === undefined ? undefined : {read}"
            lines.append(f"    {key}: {read},\n")
        return f"  return {{\n{''.join(lines)}  }};\n"
