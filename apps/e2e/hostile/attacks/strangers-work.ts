import { createParley, createRpcClient } from "parley-client";
import type { SentJson } from "@parley/schema";
import { expect } from "vitest";
import type { Attack, Target } from "../attack.ts";

interface Definition {
  readonly behaviour: object;
  readonly inputSchema?: Record<string, unknown>;
}

/** Makes a function of the attacker's, under a new name. */
async function makeFunction(
  { urls, workspaceId, adminKey }: Target,
  { behaviour, ...definition }: Definition,
): Promise<string> {
  const rpc = createRpcClient({ url: urls[0], apiKey: adminKey });
  const { sandboxFunction } = await rpc.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: `attack-${Math.random().toString(36).slice(2)}`,
    description: "Attacks",
    maxConcurrent: 1000,
    // What is left of an attack is over before the next.
    timeoutMs: 5000,
    program: { type: "simulated", behaviour: { durationMs: 0, steps: [], ...behaviour } },
    ...definition,
  });
  return sandboxFunction.sId;
}

/** Invokes a function so many times at once, and gives how each ended within the wait. */
async function invokeMany(
  { urls, workspaceId, userKey }: Target,
  { functionId, input, times }: { functionId: string; input: SentJson; times: number },
): Promise<string[]> {
  const clients = urls.map((baseUrl) => createParley({ baseUrl, workspaceId, apiKey: userKey }));
  return Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const client = clients[index % clients.length]!;
      try {
        const { outcome } = await client.functions.invoke({ functionId, input });
        return outcome?.status === "errored" ? outcome.error.code : (outcome?.status ?? "open");
      } catch (error) {
        return (error as { type?: string }).type ?? String(error);
      }
    }),
  );
}

/** An expression that made 13 million characters of 247 bytes, judged to be cheap. */
export const nestedJoins: Attack = {
  name: "joins of joins of joins",
  run: async (target) => {
    const result = `$length(${"$join(a, ".repeat(4)}"y"${")".repeat(4)})`;
    const functionId = await makeFunction(target, { behaviour: { result } });
    const input = { a: Array.from({ length: 60 }, () => "x") };
    const ends = await invokeMany(target, { functionId, input, times: 8 });
    expect(ends).toHaveLength(8);
  },
};

/** Ninety runs that end only with their threads. */
export const endlessExpressions: Attack = {
  name: "90 endless expressions",
  run: async (target) => {
    const result = '$contains($pad("", 40, "a") & "!", /^(a+)+$/)';
    const functionId = await makeFunction(target, { behaviour: { result } });
    const ends = await invokeMany(target, { functionId, input: null, times: 90 });
    expect(new Set(ends).isSubsetOf(new Set(["timed_out", "open", "rate_limit_error"]))).toBe(true);
  },
};

/** A pattern that takes linear time, and 25 s of it. */
export const slowPatterns: Attack = {
  name: "patterns over a megabyte",
  run: async (target) => {
    const inputSchema = { type: "string", pattern: "(?:a?){900}[bc]$" };
    const functionId = await makeFunction(target, { behaviour: { result: "$" }, inputSchema });
    const input = "a".repeat(900_000);
    const ends = await invokeMany(target, { functionId, input, times: 6 });
    expect(ends).not.toContain("succeeded");
  },
};

/** References that double at each level of the value, in schema and in value. */
export const doublingSchemas: Attack = {
  name: "schemas that take for ever",
  run: async (target) => {
    const branch = { properties: { a: { $ref: "#" } } };
    const inputSchema = { allOf: [branch, branch] };
    const functionId = await makeFunction(target, { behaviour: { result: "$" }, inputSchema });
    let input: SentJson = 1;
    for (let depth = 0; depth < 60; depth++) input = { a: input };
    const ends = await invokeMany(target, { functionId, input, times: 6 });
    expect(new Set(ends).isSubsetOf(new Set(["invalid_input", "rate_limit_error"]))).toBe(true);
  },
};

/** Markdown of half a megabyte that takes its renderer seconds; the client sends each by itself. */
export const slowRenders: Attack = {
  name: "24 renders of open elements",
  run: async ({ urls, workspaceId, adminKey }) => {
    const instructions = "<b>".repeat(150_000);
    const agentFacingDescription = "Takes its time";
    const renders = Array.from({ length: 24 }, (_, index) => {
      const rpc = createRpcClient({ url: urls[index % urls.length]!, apiKey: adminKey });
      return rpc.skills.create.mutate(
        { wId: workspaceId, name: `slow-${index}`, agentFacingDescription, instructions },
        { signal: AbortSignal.timeout(10_000) },
      );
    });
    const settled = await Promise.allSettled(renders);
    // What waits of a workspace is bounded.
    const refused = settled.filter(({ status }) => status === "rejected");
    expect(refused.length).toBeGreaterThanOrEqual(4);
  },
};

/** A plan of 32 million templates, which took all memory of its worker. */
export const hugePlans: Attack = {
  name: "a plan of 32 million templates",
  run: async (target) => {
    const log = { stream: "stdout", text: "{{x}}".repeat(3276) };
    const steps = Array.from({ length: 10 }, () => ({ repeat: 1000, log }));
    await expect(makeFunction(target, { behaviour: { steps } })).rejects.toThrow("10000");
    const most = { repeat: 1000, log: { stream: "stdout", text: "{{x}}" } };
    const behaviour = { steps: Array.from({ length: 10 }, () => most) };
    const functionId = await makeFunction(target, { behaviour });
    const input = { x: "x".repeat(200_000) };
    const ends = await invokeMany(target, { functionId, input, times: 4 });
    expect(new Set(ends).isSubsetOf(new Set(["succeeded", "timed_out", "open"]))).toBe(true);
  },
};
