import { filesOf } from "../edit/draft.ts";
import type { FunctionVersion } from "../edit/read-versions.ts";

/** The parts of a version as texts by name: settings, schemas and files. */
export function partsOf(version: FunctionVersion): ReadonlyMap<string, string> {
  const { program, inputSchema, outputSchema, description, ...rest } = version;
  const { version: _version, createdAt: _createdAt, editor: _editor, ...settings } = rest;
  const parts = new Map<string, string>();
  const ofProgram: Record<string, unknown> = { ...program };
  if (program.type === "simulated") {
    parts.set("Behaviour", showJson(program.behaviour));
    delete ofProgram["behaviour"];
  } else {
    const files = program.type === "e2b" ? { Code: program.source } : filesOf(program.source);
    for (const [path, text] of Object.entries(files)) parts.set(path, text);
    delete ofProgram["source"];
  }
  parts.set("Description", description);
  parts.set("Input schema", showJson(inputSchema ?? {}));
  parts.set("Result schema", showJson(outputSchema ?? {}));
  parts.set("Settings", showJson({ ...settings, program: ofProgram }));
  return parts;
}

const showJson = (value: unknown): string => JSON.stringify(value, null, 2);
