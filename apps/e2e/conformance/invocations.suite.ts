import { InvokedSandboxFunction } from "@parley/schema";
import { expect, test } from "vitest";
import { type Answer, expectError, jsonOf, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape } from "../shape.ts";
import { invokedSandboxFunction } from "./wire-shapes.ts";

// The interface: invoking a function, and how long to wait for what it comes to.

function invokedIn(answer: Answer): InvokedSandboxFunction {
  const { raw, parsed } = jsonOf(answer, InvokedSandboxFunction, 201);
  expectShape(raw, invokedSandboxFunction);
  expect(parsed.invocation.sId).toMatch(/^sfi_/);
  expect(parsed.invocation.functionId).toMatch(/^sfn_/);
  expect(parsed.outcome?.status ?? "created").toBe(parsed.invocation.status);
  return parsed;
}

/** The tests of invoking. */
export function invocationsSuite(server: () => Server): void {
  const invoke = (idOrSlug: string, body: unknown, prefer?: string) =>
    send(server(), {
      path: pathsOf(server()).invocations(idOrSlug),
      json: body,
      ...(prefer !== undefined && { headers: { prefer } }),
    });

  test("a function is found by its id and by its slug", async () => {
    const id = server().demo.functions.find(({ slug }) => slug === "add")?.sId ?? "";
    for (const name of ["add", id]) {
      const { invocation, outcome } = invokedIn(await invoke(name, { input: { a: 1, b: 2 } }));
      expect(outcome).toEqual({ status: "succeeded", result: { sum: 3 } });
      expect(invocation.functionId).toBe(id);
    }
  });

  test("unknown members and a time zone are accepted, and input may be left out", async () => {
    const body = { input: { text: "one two" }, context: { timezone: "Asia/Tokyo", x: 1 }, y: [] };
    const { outcome } = invokedIn(await invoke("word-count", body));
    expect(outcome).toEqual({ status: "succeeded", result: { words: 2 } });
    expect(invokedIn(await invoke("always-fails", {})).outcome?.status).toBe("errored");
    expect(invokedIn(await invoke("add", { input: null, context: null })).outcome).toBeDefined();
  });

  test.for([0, false, "", "text", [1, "two", null], { nested: { "a-b": [{}] } }])(
    "any JSON may be the input: %j",
    async (input) => {
      expect(invokedIn(await invoke("always-fails", { input })).outcome).toEqual({
        status: "errored",
        error: { code: "threw", message: "This function always fails" },
      });
    },
  );

  test("an outcome that fails is a value, with a code", async () => {
    const { outcome } = invokedIn(await invoke("add", { input: { a: "x", b: {} } }));
    expect(outcome).toMatchObject({ status: "errored", error: { code: "threw" } });
  });

  test("`Prefer: respond-async` answers at once", async () => {
    for (const prefer of ["respond-async", "wait=0", "Respond-Async", "a=b, respond-async"]) {
      const startedAt = performance.now();
      const { outcome } = invokedIn(await invoke("slow-steps", {}, prefer));
      expect(outcome, prefer).toBeUndefined();
      expect(performance.now() - startedAt).toBeLessThan(1500);
    }
  });

  test("`Prefer: wait=N` waits N seconds, and no longer", async () => {
    const startedAt = performance.now();
    const { outcome } = invokedIn(await invoke("slow-steps", {}, "wait=1"));
    expect(outcome).toBeUndefined();
    expect(performance.now() - startedAt).toBeGreaterThan(950);
    expect(performance.now() - startedAt).toBeLessThan(1900);
  });

  test("an outcome that comes in time is waited for", async () => {
    const preferences = [undefined, "wait=5", "nonsense", "wait=soon", "handling=lenient, wait=5"];
    const answers = preferences.map((prefer) => invoke("slow-steps", {}, prefer));
    for (const answer of await Promise.all(answers)) {
      expect(invokedIn(answer).outcome).toEqual({ status: "succeeded", result: { steps: 4 } });
    }
  });

  test("an unknown function is not found, whatever the input", async () => {
    expectError(await invoke("nothing", {}), "sandbox_function_not_found");
    expectError(await invoke("Add", {}), "sandbox_function_not_found");
  });
}
