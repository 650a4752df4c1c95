import { factsOf } from "@parley/schema/program-kinds";
import type { FunctionVersion } from "../edit/read-versions.ts";

/** The parts of a version as texts by name: settings, schemas and files. */
export function partsOf(version: FunctionVersion): ReadonlyMap<string, string> {
  const { program, inputSchema, outputSchema, description, ...rest } = version;
  const { version: _version, createdAt: _createdAt, editor: _editor, ...settings } = rest;
  const parts = new Map<string, string>();
  const { member, name, isFiles = false } = factsOf(program.type).content;
  const { [member]: content, ...ofProgram }: Record<string, unknown> = { ...program };
  const texts = isFiles && typeof content === "object" ? { ...content } : { [name]: content };
  for (const [path, text] of Object.entries(texts)) {
    parts.set(path, typeof text === "string" ? text : showJson(text));
  }
  parts.set("Description", description);
  parts.set("Input schema", showJson(inputSchema ?? {}));
  parts.set("Result schema", showJson(outputSchema ?? {}));
  parts.set("Settings", showJson({ ...settings, program: ofProgram }));
  return parts;
}

const showJson = (value: unknown): string => JSON.stringify(value, null, 2);
