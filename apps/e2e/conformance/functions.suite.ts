import { randomUUID } from "node:crypto";
import { type InvocationError, InvocationPage, InvokedSandboxFunction } from "@parley/schema";
import { SandboxFunctionPage } from "@parley/schema";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { isReplay } from "../idempotency/keyed.ts";
import { expectError, jsonOf, open, pathsOf, type Request, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape } from "../shape.ts";
import { createCalls } from "../siblings/calls.ts";
import { invocationPage, sandboxFunctionPage } from "./function-shapes.ts";
import { invokedSandboxFunction } from "./wire-shapes.ts";

const async = { prefer: "respond-async" };

const simulated = (behaviour: object) => ({ type: "simulated", behaviour });

/** The tests of listing functions, and of reading, listing and cancelling their invocations. */
export function functionsSuite(server: () => Server): void {
  const { rpc } = createCalls(server);
  const ofDemo = () => ({ wId: server().demo.workspaceId });
  const path = (slug: string, tail = "") => pathsOf(server()).invocations(slug) + tail;
  const ask = async (request: Request, status = 200) => {
    const { raw, parsed } = jsonOf(await send(server(), request), InvokedSandboxFunction, status);
    expectShape(raw, invokedSandboxFunction);
    return parsed;
  };
  const invoke = (slug: string, json: object = {}, headers: Record<string, string> = async) =>
    ask({ path: path(slug), json, headers }, 201);
  const start = async (slug: string) => (await invoke(slug)).invocation.sId;
  const get = (slug: string, sId: string) => ask({ path: path(slug, `/${sId}`) });
  const cancel = (slug: string, sId: string) =>
    ask({ method: "POST", path: path(slug, `/${sId}/cancel`) });
  const create = async (members: object = {}) => {
    const made = { ...ofDemo(), slug: `f-${randomUUID()}`, ...members };
    return (await rpc().sandboxFunctions.create.mutate(made)).sandboxFunction;
  };
  /** The whole log of an invocation, as its followers are sent it. */
  const follow = async (slug: string, sId: string) => {
    const events = path(slug, `/${sId}/events?include=log,progress`).replace("/api/", "/api/sse/");
    const frames = await Array.fromAsync(readFrames(await open(server(), { path: events })));
    return frames.map(({ data }) => data as { type: string; error?: InvocationError });
  };
  const list = async (slug: string, query = "") => {
    const { raw, parsed } = jsonOf(
      await send(server(), { path: path(slug, query) }),
      InvocationPage,
    );
    expectShape(raw, invocationPage);
    return parsed;
  };

  describe("the list of functions", () => {
    const listFunctions = async (query = "") => {
      const answer = await send(server(), {
        path: pathsOf(server()).functions + query,
        key: server().demo.userKey,
      });
      const { raw, parsed } = jsonOf(answer, SandboxFunctionPage);
      expectShape(raw, sandboxFunctionPage);
      return parsed;
    };

    test("holds those that can be invoked, and says what they take", async () => {
      const inputSchema = { type: "object", properties: { a: { type: "number" } } };
      const limits = { timeoutMs: 1000, requiresApproval: true, retryable: true };
      const made = await create({ inputSchema, ...limits });
      const archived = await create();
      await rpc().sandboxFunctions.archive.mutate({ ...ofDemo(), functionId: archived.sId });
      const { sandboxFunctions } = await listFunctions();
      const slugs = sandboxFunctions.map(({ slug }) => slug);
      expect(slugs).toEqual(expect.arrayContaining(["add", "always-fails", "word-count"]));
      expect(slugs).not.toContain(archived.slug);
      expect(sandboxFunctions).toContainEqual({
        ...sandboxFunctions.find(({ sId }) => sId === made.sId),
        inputSchema,
        outputSchema: null,
        ...limits,
        version: 1,
      });
    });

    test("comes in pages of the size that is asked for", async () => {
      const first = await listFunctions("?limit=1");
      expect(first).toMatchObject({ hasMore: true, lastValue: first.sandboxFunctions[0]?.slug });
      const next = await listFunctions(`?limit=1&lastValue=${first.lastValue}`);
      expect(next.sandboxFunctions).toHaveLength(1);
      expect(next.sandboxFunctions[0]?.slug).not.toBe(first.lastValue);
      for (const query of ["?limit=0", "?limit=101", "?limit=x", "?lastValue=A_b"]) {
        const answer = await send(server(), { path: pathsOf(server()).functions + query });
        expectError(answer, "invalid_request_error", { message: "Invalid query parameters: " });
      }
    });
  });

  test("an invocation is read with its outcome", async () => {
    const waiting = await start("slow-steps");
    const { invocation, outcome } = await get("slow-steps", waiting);
    expect(invocation).toMatchObject({ sId: waiting, status: "created" });
    expect(outcome).toBeUndefined();
    const done = await invoke("add", { input: { a: 1, b: 2 } }, {});
    expect(await get("add", done.invocation.sId)).toEqual(done);
    await cancel("slow-steps", waiting);
  });

  test("invocations are listed the newest first, while others are made", async () => {
    const { slug } = await create();
    const sIds: string[] = [];
    for (let count = 0; count < 5; count++) sIds.push(await start(slug));
    const seen: string[] = [];
    for (let query = "?limit=2"; query !== "";) {
      const { invocations, hasMore, lastValue } = await list(slug, query);
      seen.push(...invocations.map(({ sId }) => sId));
      await start(slug);
      query = hasMore ? `?limit=2&lastValue=${lastValue}` : "";
    }
    expect(seen).toEqual(sIds.toReversed());
    await expect
      .poll(async () => list(slug, "?status=succeeded"))
      .toMatchObject({
        invocations: { length: 8 },
      });
    expect((await list(slug, "?status=errored")).invocations).toEqual([]);
    for (const query of ["?limit=0", "?lastValue=x", "?status=done"]) {
      const answer = await send(server(), { path: path(slug, query) });
      expectError(answer, "invalid_request_error", { message: "Invalid query parameters: " });
    }
  });

  test("a cancelled invocation ends once, for its worker and its followers too", async () => {
    const sId = await start("slow-steps");
    const following = follow("slow-steps", sId);
    const answers = await Promise.all(Array.from({ length: 50 }, () => cancel("slow-steps", sId)));
    for (const { invocation, outcome } of answers) {
      expect(invocation.status).toBe("errored");
      expect(outcome).toMatchObject({ status: "errored", error: { code: "cancelled" } });
    }
    const types = (await following).map(({ type }) => type);
    const terminal = types.filter((type) => /_(?:result|error)$/.test(type));
    expect(terminal).toEqual(["sandbox_function_invocation_error"]);
    expect(types.at(-1)).toBe(terminal[0]);
    expect(await get("slow-steps", sId)).toEqual(answers[0]);
    expect(await follow("slow-steps", sId)).toHaveLength(types.length);
  });

  test("a cancel leaves what has ended as it is", async () => {
    const done = await invoke("add", { input: { a: 1, b: 2 } }, {});
    expect(await cancel("add", done.invocation.sId)).toEqual(done);
    expect(await follow("add", done.invocation.sId)).toHaveLength(2);
  });

  test("cancels and ends that race give one terminal event", async () => {
    const sIds = await Promise.all(Array.from({ length: 20 }, () => start("add")));
    const outcomes = await Promise.all(sIds.map((sId) => cancel("add", sId)));
    for (const [index, sId] of sIds.entries()) {
      const events = await follow("add", sId);
      expect(events).toHaveLength(2);
      const ended = `sandbox_function_invocation_${
        outcomes[index]?.outcome?.status === "succeeded" ? "result" : "error"
      }`;
      expect(events[1]?.type).toBe(ended);
    }
  });

  test("a wait for an outcome ends with a cancel", async () => {
    const { slug } = await create({ program: simulated({ durationMs: 60_000 }) });
    const waiting = invoke(slug, {}, { prefer: "wait=30" });
    const made = async () => (await list(slug)).invocations;
    await expect.poll(async () => (await made()).length, { interval: 10 }).toBe(1);
    const [one] = await made();
    const cancelled = await cancel(slug, one!.sId);
    expect(await waiting).toEqual(cancelled);
  });

  test("an invocation is another function's under no name", async () => {
    const sId = await start("slow-steps");
    for (const tail of [`/${sId}`, `/${sId}/cancel`, "/sfi_x", "/sfi_x/cancel"]) {
      const method = tail.endsWith("cancel") ? "POST" : "GET";
      const answer = await send(server(), { method, path: path("add", tail) });
      expectError(answer, "sandbox_function_invocation_not_found");
      const unknown = await send(server(), { method, path: path("nothing", tail) });
      expectError(unknown, "sandbox_function_not_found");
    }
    expectError(await send(server(), { path: path("nothing") }), "sandbox_function_not_found");
    expect((await get("slow-steps", sId)).invocation.status).toBe("created");
    await cancel("slow-steps", sId);
  });

  test("an unknown workspace and a foreign one give the same bytes", async () => {
    const operator = createCalls(server).operator();
    const foreign = (await operator.workspaces.create.mutate({ name: "Foreign" })).workspace.sId;
    const tails = ["", "/add/invocations", "/add/invocations/sfi_x"];
    const requests = [
      ...tails.map((tail) => ({ method: "GET", tail })),
      { method: "POST", tail: "/add/invocations/sfi_x/cancel" },
    ];
    for (const { method, tail } of requests) {
      const answers = await Promise.all(
        [foreign, "AAAAAAAAAA"].map((wId) =>
          send(server(), {
            method,
            path: `/api/w/${wId}/sandbox-functions${tail}`,
            headers: { "x-request-id": "same" },
          }),
        ),
      );
      for (const answer of answers) expectError(answer, "workspace_auth_error");
      expect(answers[1]?.text).toBe(answers[0]?.text);
    }
  });

  describe("schemas", () => {
    const schemas = {
      inputSchema: {
        type: "object",
        properties: { items: { type: "array", items: { type: "integer" } } },
        required: ["items"],
      },
      outputSchema: { type: "integer", minimum: 10 },
      program: simulated({ result: "$sum(items)" }),
    };

    test.for([
      [{ items: [4, 6] }, { status: "succeeded", result: 10 }],
      [
        { items: [1, "x"] },
        {
          status: "errored",
          error: { code: "invalid_input", message: "input.items[1]: must be integer" },
        },
      ],
      [
        undefined,
        { status: "errored", error: { code: "invalid_input", message: "input: must be object" } },
      ],
      [
        { items: [1, 2] },
        { status: "errored", error: { code: "invalid_output", message: "result: must be >= 10" } },
      ],
    ] as const)("the input %j comes to %j", async ([input, outcome]) => {
      const { slug } = await create(schemas);
      const answer = await invoke(slug, { input }, {});
      expect(answer.outcome).toEqual(outcome);
      expect(await get(slug, answer.invocation.sId)).toEqual(answer);
      const events = await follow(slug, answer.invocation.sId);
      expect(events.map(({ type }) => type)).toEqual([
        "sandbox_function_invocation_created",
        `sandbox_function_invocation_${outcome.status === "succeeded" ? "result" : "error"}`,
      ]);
    });

    test("refused input is answered at once, whatever is preferred", async () => {
      const { slug } = await create(schemas);
      const request = { path: path(slug), json: { input: 1 } };
      const headers = { ...async, "idempotency-key": randomUUID() };
      const first = await send(server(), { ...request, headers });
      expect(first.status).toBe(201);
      expect(first.text).toContain('"code":"invalid_input"');
      const again = await send(server(), { ...request, headers });
      expect([isReplay(again), again.text]).toEqual([true, first.text]);
      expect((await list(slug)).invocations).toHaveLength(1);
    });

    test("an input of more than 1 MiB is refused, and names its member", async () => {
      const most = "x".repeat(1_048_574);
      expect((await invoke("always-fails", { input: most })).invocation.status).toBe("created");
      for (const input of [`${most}x`, "ü".repeat(524_288)]) {
        const answer = await send(server(), { path: path("always-fails"), json: { input } });
        expectError(answer, "invalid_request_error", { field: "input" });
      }
    });

    test("one hostile schema does not keep the others waiting", async () => {
      const twice = { properties: { a: { $ref: "#" } } };
      const { slug } = await create({ inputSchema: { allOf: [twice, twice] } });
      const input: unknown = JSON.parse(`${'{"a":'.repeat(55)}1${"}".repeat(55)}`);
      const [{ outcome }, other] = await Promise.all([
        invoke(slug, { input }, {}),
        invoke("add", { input: { a: 1, b: 2 } }, {}),
      ]);
      expect(outcome).toMatchObject({ error: { code: "invalid_input" } });
      await follow("add", other.invocation.sId);
      const late = await get("add", other.invocation.sId);
      expect(late.outcome).toEqual({ status: "succeeded", result: { sum: 3 } });
    });
  });

  test("an archived function runs what it has, and takes nothing new", async () => {
    const { slug, sId: functionId } = await create({ program: simulated({ durationMs: 60_000 }) });
    const sId = await start(slug);
    await rpc().sandboxFunctions.archive.mutate({ ...ofDemo(), functionId });
    const refused = await send(server(), { path: path(slug), json: {} });
    expectError(refused, "sandbox_function_not_found");
    expect((await list(functionId)).invocations).toMatchObject([{ sId }]);
    await cancel(slug, sId);
    expect(await follow(slug, sId)).toHaveLength(2);
    await rpc().sandboxFunctions.restore.mutate({ ...ofDemo(), functionId });
    await cancel(slug, await start(slug));
  });
}
