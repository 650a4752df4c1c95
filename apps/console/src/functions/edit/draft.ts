import { folderKind, type ProgramKind, programKinds } from "@parley/schema/program-kinds";
import type { RpcClient } from "parley-client";
import { objectOf } from "../../ui/parse-json.ts";
import type { FunctionVersion } from "./read-versions.ts";
import { invocationLimits, type LimitTexts, limitsOf, limitTexts } from "./limits.ts";

type CreateInput = Parameters<RpcClient["sandboxFunctions"]["create"]["mutate"]>[0];

/** The server's input for a version of a function. */
export type Definition = Omit<CreateInput, "wId" | "slug">;

/** A version of a function as stored. */
export type StoredDefinition = Omit<FunctionVersion, "version" | "createdAt" | "editor">;

type Program = StoredDefinition["program"];
type SentProgram = NonNullable<Definition["program"]>;

/** A secret that code may use. */
export interface UsedSecret {
  readonly name: string;
  readonly readable: boolean;
}

/** A function as edited: JSON and numbers are texts. */
export interface FunctionDraft {
  readonly slug: string;
  readonly description: string;
  readonly type: ProgramKind;
  /** Files of code in the sandbox. */
  readonly files: Readonly<Record<string, string>>;
  /** A host on each line. */
  readonly allowedHosts: string;
  readonly secrets: readonly UsedSecret[];
  readonly language: keyof typeof programKinds.e2b.languages;
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
  type: folderKind,
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
  const form: Form = forms[program.type];
  return {
    ...emptyDraft,
    slug,
    description,
    type: program.type,
    inputSchema: schemaText(inputSchema),
    outputSchema: schemaText(outputSchema),
    limits: limitTexts({ ...stored, ...program }),
    retryable,
    requiresApproval,
    ...form.read(program),
  };
}

/** The server's input for a draft. Throws an `Error` with a readable message. */
export function definitionOf(draft: FunctionDraft): Definition {
  const { description, retryable, requiresApproval } = draft;
  return {
    description,
    program: forms[draft.type].write(draft),
    inputSchema: schemaOf("Input schema", draft.inputSchema),
    outputSchema: schemaOf("Result schema", draft.outputSchema),
    ...limitsOf(invocationLimits, draft.limits),
    retryable,
    requiresApproval,
  };
}

/** How a program is a part of a draft. */
interface Form<P = Program> {
  read(program: P): Partial<FunctionDraft>;
  /** Throws an `Error` with a readable message. */
  write(draft: FunctionDraft): SentProgram;
}

const forms: { readonly [K in ProgramKind]: Form<Extract<Program, { type: K }>> } = {
  javascript: {
    read: ({ source, allowedHosts = [], secrets = [] }) => ({
      files: typeof source === "string" ? { "index.ts": source } : source,
      allowedHosts: allowedHosts.join("\n"),
      secrets: secrets.map(({ name, readable = false }) => ({ name, readable })),
    }),
    write: ({ files, allowedHosts, secrets, limits }) => {
      const single = Object.keys(files).length === 1 ? files["index.ts"] : undefined;
      return {
        type: "javascript",
        source: single ?? { ...files },
        allowedHosts: allowedHosts.split(/\s+/).filter((host) => host !== ""),
        secrets: secrets.map((secret) => ({ ...secret })),
        ...limitsOf(programKinds.javascript.limits, limits),
      };
    },
  },
  e2b: {
    read: ({ language, source, template = "" }) => ({ language, source, template }),
    write: ({ language, source, template }) => ({
      type: "e2b",
      language,
      source,
      ...(template.trim() !== "" && { template: template.trim() }),
    }),
  },
  simulated: {
    read: ({ behaviour }) => ({ behaviour: showJson(behaviour) }),
    write: ({ behaviour }) => ({
      type: "simulated",
      // The server validates the behaviour.
      behaviour: objectOf("Behaviour", behaviour) as { steps: [] },
    }),
  },
};

const schemaOf = (label: string, text: string): Record<string, unknown> =>
  text.trim() === "" ? {} : objectOf(label, text);
