import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { ModelService } from "@parley/schema";
import { expect, it, onTestFinished } from "vitest";
import { ask, createStart, errorsOf } from "../../testing/called-service.ts";
import type { FilePart, PromptMessage } from "../prompt-parts.ts";
import { textParts } from "../prompt-parts.ts";
import type { StepRequest } from "../provider.ts";

// The services' own clients say in types what a request may have: what is sent must compile as theirs.

const execute = promisify(execFile);
const home = path.resolve(import.meta.dirname, "../..");

/** The types of requests that services publish, and the models whose requests must have them. */
const published: Record<string, { module: string; models: [ModelService, string][] }> = {
  // xAI, DeepSeek, Fireworks and Mistral have dialects of these, of which they publish no types.
  ResponseCreateParamsStreaming: {
    module: "openai/resources/responses/responses",
    models: [
      ["openai", "gpt-5"],
      ["openai", "gpt-6.2-astra"],
    ],
  },
  ChatCompletionCreateParamsStreaming: {
    module: "openai/resources/chat/completions",
    models: [["openai_compatible", "llama"]],
  },
  MessageCreateParamsStreaming: {
    module: "@anthropic-ai/sdk/resources/messages",
    models: [["anthropic", "claude-opus-5-5"]],
  },
};

function fileOf(contentType: string): FilePart {
  const bytes = Buffer.from(`bytes of ${contentType}`);
  const name = `a.${contentType.split("/")[1]}`;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const file = { fileId: "fil_1", name, contentType, sizeBytes: bytes.length, sha256 };
  const type = contentType.startsWith("image/") ? "image" : "file";
  return { type, file: { ...file, read: async () => bytes } };
}

const schema = {
  type: "object",
  properties: { city: { type: "string", enum: ["Oslo", "Bergen"] } },
  required: ["city"],
  additionalProperties: false,
};
const tools = [
  { name: "look", description: "Looks", inputSchema: schema },
  { name: "ask", description: "", inputSchema: { type: "object" } },
];
const called = { id: "call_1", name: "look", params: { city: "Oslo" } };
const history: PromptMessage[] = [
  { role: "system", isPinned: true, parts: textParts("Be kind. ".repeat(200)) },
  { role: "user", parts: textParts("Which city?") },
  { role: "assistant", parts: [...textParts("Looking"), { type: "call", ...called }] },
  {
    role: "tool",
    parts: [
      {
        type: "result",
        id: "call_1",
        name: "look",
        output: [...textParts("Rain"), fileOf("image/png")],
      },
    ],
  },
  { role: "assistant", parts: textParts("It rains \u{1F600}") },
];
const question: PromptMessage = { role: "user", parts: textParts("And now?") };
const finished = {
  step: 1,
  finishedSteps: [{ step: 0, content: "" }],
  finishedCalls: [
    { ...called, step: 0, output: "No", isError: true, files: [fileOf("image/png")] },
  ],
};

/** Requests with everything that a request may have. */
const requests: Partial<StepRequest>[] = [
  { prompt: [question] },
  { prompt: [...history, question], tools, cacheScope: "agent conversation" },
  { prompt: [...history, question], tools, ...finished, reasoningEffort: "high" },
  { prompt: [question], answerFormat: { schema, isEnforced: true } },
  { prompt: [question], answerFormat: { schema, isEnforced: false, instruction: "In JSON" } },
  {
    prompt: [
      {
        role: "user",
        parts: [...textParts("See"), fileOf("image/jpeg"), fileOf("application/pdf")],
      },
    ],
  },
];

it("requests have the types that the services' clients publish", { timeout: 180_000 }, async () => {
  const lines: string[] = [];
  for (const [type, { module, models }] of Object.entries(published)) {
    lines.push(`import type { ${type} } from "${module}";`);
    for (const [id, modelId] of models) {
      const { service, provider } = await createStart(onTestFinished)(id);
      for (const parts of requests) {
        service.script = { steps: ["", "", ""].map(() => ({ text: "Fine" })), tokenDelayMs: 0 };
        const request = ask({ modelId, ...parts });
        expect(errorsOf(await Array.fromAsync(provider.streamStep(request)))).toEqual([]);
      }
      expect(service.requests).toHaveLength(requests.length);
      for (const { body } of service.requests) {
        lines.push(
          `// ${modelId}`,
          `export const v${lines.length}: ${type} = ${JSON.stringify(body, null, 1)};`,
        );
      }
    }
  }
  expect(await faultsOf(lines.join("\n"))).toEqual([]);
});

it("types that a client does not publish are found", { timeout: 180_000 }, async () => {
  const source = `import type { MessageCreateParamsStreaming } from "@anthropic-ai/sdk/resources/messages";
export const v: MessageCreateParamsStreaming = {
  model: "m", max_tokens: 1, stream: true, messages: [{ role: "user", content: [{ type: "texts", text: "" }] }],
};`;
  expect(await faultsOf(source)).toEqual([expect.stringContaining("texts")]);
});

/** What the compiler says of a module. */
async function faultsOf(source: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-types-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  await symlink(path.join(home, "node_modules"), path.join(folder, "node_modules"));
  await writeFile(path.join(folder, "sent.ts"), source);
  const modules = { module: "esnext", moduleResolution: "bundler", target: "esnext" };
  const compilerOptions = { ...modules, strict: true, noEmit: true, types: [], skipLibCheck: true };
  const config = { compilerOptions, files: ["sent.ts"] };
  await writeFile(path.join(folder, "tsconfig.json"), JSON.stringify(config));
  const compiler = path.join(home, "../../node_modules/typescript/bin/tsc");
  const args = [compiler, "--pretty", "false", "-p", folder];
  const said = await execute(process.execPath, args).then(
    () => "",
    ({ stdout }: { stdout: string }) => stdout,
  );
  return said.split("\n").filter((line) => /^\S.*error TS/.test(line));
}
