import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, "../..");

/** URLs of the modules that a process loads for this code. */
async function loadedBy(code: string): Promise<string[]> {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
    const agent = await import("./src/index.ts");
    ${code}
    console.log(JSON.stringify(loaded));`;
  const words = ["--conditions=@parley/source", "--input-type=module", "--eval", script];
  const { stdout } = await run(process.execPath, words, { cwd: root });
  return JSON.parse(stdout) as string[];
}

it("loads neither the AI SDK nor a tokenizer before a service is called, and then its own package", async () => {
  const heavy = (urls: string[]) => urls.filter((url) => /@ai-sdk|gpt-tokenizer/.test(url));
  const providers = 'const provider = agent.createServiceProvider("openai", { apiKey: "x" });';
  expect(heavy(await loadedBy(providers))).toEqual([]);
  const call = `
    const abort = new AbortController();
    const request = { prompt: [], tools: [], finishedSteps: [], finishedCalls: [] };
    const parts = provider.streamStep({ ...request, signal: abort.signal });
    setImmediate(() => abort.abort());
    await parts[Symbol.asyncIterator]().next().catch(() => {});`;
  const loaded = heavy(await loadedBy(providers + call));
  expect(loaded.some((url) => url.includes("@ai-sdk"))).toBe(true);
  expect(loaded.some((url) => url.includes("anthropic"))).toBe(false);
});
