import type { RpcClient } from "parley-client";
import { parseObject } from "../../ui/parse-json.ts";
import type { FunctionVersion } from "./read-versions.ts";
import { codeLimits, invocationLimits, type LimitTexts, limitsOf, limitTexts } from "./limits.ts";

type CreateInput = Parameters<RpcClient["sandboxFunctions"]["create"]["mutate"]>[0];

/** The server's input for a version of a function. */
export type Definition = Omit<CreateInput, "wId" | "slug">;

/** A version of a function as stored. */
export type StoredDefinition = Omit<FunctionVersion, "version" | "createdAt" | "editor">;

type Program = StoredDefinition["program"];
export type ProgramType = Program["type"];

/** A secret that code may use. */
export interface UsedSecret {
  readonly name: string;
  readonly readable: boolean;
}

/** A function as edited: JSON and numbers are texts. */
export interface FunctionDraft {
  readonly slug: string;
  readonly description: string;
  readonly type: ProgramType;
  /** Files of code in the sandbox. */
  readonly files: Readonly<Record<string, string>>;
  /** A host on each line. */
  readonly allowedHosts: string;
  readonly secrets: readonly UsedSecret[];
  readonly language: "javascript" | "python";
  /** Code that E2B runs. */
  readonly source: string;
  readonly template: string;
  /** JSON of a simulated behaviour. */
  readonly behaviour: string;
  /** JSON; empty for any input. */
  readonly inputSchema: string;
  readonly outputSchema: string;
  readonly limits: LimitTexts;
  readonly retryable: boolean;
  readonly requiresApproval: boolean;
}

/** A sample function that runs unchanged. */
const GREETING = `import type { Context } from "./context.d.ts";

/** The return value is the result of the invocation. */
export default async function greet({ name }: { name: string }, context: Context) {
  context.log("info", \`Greeting \${name}\`);
  return { greeting: \`Hello, \${name}!\` };
}
`;

const showJson = (value: unknown): string => JSON.stringify(value, null, 2);

/** A new function, before any edit. */
export const emptyDraft: FunctionDraft = {
  slug: "",
  description: "",
  type: "javascript",
  files: { "index.ts": GREETING },
  allowedHosts: "",
  secrets: [],
  language: "python",
  source: 'def main(input):\n    return {"greeting": "Hello, " + input["name"]}\n',
  template: "",
  behaviour: showJson({ steps: [], result: '{"greeting": "Hello, " & name}' }),
  inputSchema: showJson({
    type: "object",
    properties: { name: { type: "string" } },
    required: ["name"],
  }),
  outputSchema: "",
  limits: limitTexts({}),
  retryable: false,
  requiresApproval: false,
};

const schemaText = (schema: Record<string, unknown> | null): string =>
  schema === null || Object.keys(schema).length === 0 ? "" : showJson(schema);

/** The draft of a stored version. */
export function draftOf(slug: string, stored: StoredDefinition): FunctionDraft {
  const { description, program, inputSchema, outputSchema, retryable, requiresApproval } = stored;
  const shared: FunctionDraft = {
    ...emptyDraft,
    slug,
    description,
    type: program.type,
    inputSchema: schemaText(inputSchema),
    outputSchema: schemaText(outputSchema),
    limits: limitTexts({ ...stored, ...(program.type === "javascript" && program) }),
    retryable,
    requiresApproval,
  };
  switch (program.type) {
    case "javascript":
      return {
        ...shared,
        files: filesOf(program.source),
        allowedHosts: (program.allowedHosts ?? []).join("\n"),
        secrets: (program.secrets ?? []).map(({ name, readable = false }) => ({ name, readable })),
      };
    case "e2b":
      return {
        ...shared,
        language: program.language,
        source: program.source,
        template: program.template ?? "",
      };
    default:
      return { ...shared, behaviour: showJson(program.behaviour) };
  }
}

/** The files of a source: a single module is `index.ts`. */
export function filesOf(source: string | Record<string, string>): Record<string, string> {
  return typeof source === "string" ? { "index.ts": source } : source;
}

/** The server's input for a draft. Throws an `Error` with a readable message. */
export function definitionOf(draft: FunctionDraft): Definition {
  const { description, retryable, requiresApproval } = draft;
  return {
    description,
    program: programOf(draft),
    inputSchema: schemaOf("Input schema", draft.inputSchema),
    outputSchema: schemaOf("Result schema", draft.outputSchema),
    ...limitsOf(invocationLimits, draft.limits),
    retryable,
    requiresApproval,
  };
}

function programOf(draft: FunctionDraft): NonNullable<Definition["program"]> {
  const { type, files, source, language, template } = draft;
  if (type === "e2b") {
    return { type, language, source, ...(template.trim() !== "" && { template: template.trim() }) };
  }
  if (type === "simulated") {
    // The server validates the behaviour.
    return { type, behaviour: objectOf("Behaviour", draft.behaviour) as { steps: [] } };
  }
  const single = Object.keys(files).length === 1 ? files["index.ts"] : undefined;
  return {
    type,
    source: single ?? { ...files },
    allowedHosts: draft.allowedHosts.split(/\s+/).filter((host) => host !== ""),
    secrets: draft.secrets.map((secret) => ({ ...secret })),
    ...limitsOf(codeLimits, draft.limits),
  };
}

const schemaOf = (label: string, text: string): Record<string, unknown> =>
  text.trim() === "" ? {} : objectOf(label, text);

function objectOf(label: string, text: string): Record<string, unknown> {
  try {
    return parseObject(text);
  } catch (cause) {
    throw new SyntaxError(`${label}: ${(cause as Error).message}`, { cause });
  }
}
