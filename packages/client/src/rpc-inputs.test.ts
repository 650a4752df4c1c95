import type { EndpointName, Endpoints, InputOf, SentValue } from "@parley/schema";
import { expect, test } from "vitest";
import type { Parley } from "./parley.ts";
import type { RpcClient } from "./rpc.ts";

// The compiler runs these tests: what may not be sent does not compile.

/** Paths of an input at which anything at all compiles. */
type Holes<T, Path extends string = ""> = unknown extends T
  ? Path
  : [SentValue] extends [T]
    ? never
    : T extends string | number | boolean | bigint | Date | null | undefined
      ? never
      : T extends readonly (infer Element)[]
        ? Holes<Element, `${Path}[]`>
        : string extends keyof T
          ? unknown extends T[string]
            ? `${Path}.*`
            : never
          : { [K in keyof T & string]: Holes<T[K], `${Path}.${K}`> }[keyof T & string];

type HolesOf<N extends EndpointName> = N extends EndpointName
  ? Holes<InputOf<Endpoints[N]>> extends infer Hole extends string
    ? `${N}${Hole}`
    : never
  : never;

type Agents = "agents.create" | "agents.update" | "agents.try.draft";
type Messages = "conversations.create.message" | "messages.create" | "agents.try.message";

/** Documents that are read as they were written: JSON Schemas, parameters, and recorded values. */
type Documents =
  | `${Agents | Messages}.responseFormat.schema.*`
  | `${Messages}.${"functionTools[].parameters" | "metadata"}.*`
  | `${Agents}.script.steps[].toolCalls[].params.*`
  | `${"sandboxFunctions.create" | "sandboxFunctions.update"}.${"inputSchema" | "outputSchema"}.*`
  | `${"sandboxFunctions.create" | "sandboxFunctions.update"}.program.behaviour.recordings[].${"input" | "outcome.result"}`
  | "messages.validateAction.params.*"
  | `${"tools.create" | "tools.update"}.server.tools[].inputSchema.*`;

test("no input takes anything at all, but for documents", () => {
  const left: [Exclude<HolesOf<EndpointName>, Documents>] extends [never] ? 0 : never = 0;
  const gone: [Exclude<Documents, HolesOf<EndpointName>>] extends [never] ? 0 : never = 0;
  expect([left, gone]).toEqual([0, 0]);
});

test("what may not be sent does not compile, and what may be does", () => {
  const never = async (client: RpcClient): Promise<void> => {
    const wId = "w";
    await client.skills.list.query({ wId, availability: "editors", bypassEditorVisibility: true });
    await client.skills.list.query({ wId, availability: ["editors", "users_and_agents"] });
    // @ts-expect-error: no availability
    await client.skills.list.query({ wId, availability: 42 });
    // @ts-expect-error: no availability
    await client.skills.list.query({ wId, availability: ["nobody"] });
    // @ts-expect-error: true or false
    await client.skills.list.query({ wId, bypassEditorVisibility: "yes" });
    await client.conversations.list.query({ wId, limit: 5 });
    // @ts-expect-error: a number
    await client.conversations.list.query({ wId, limit: new Date() });
    // @ts-expect-error: a number
    await client.sandboxFunctions.list.query({ wId, limit: {} });
    // @ts-expect-error: a text
    client.sandboxFunctions.events.subscribe({
      wId,
      functionId: "f",
      invocationId: "i",
      include: 7,
    });
    await client.apiKeys.update.mutate({ wId: "w", keyId: "k", expiresAt: new Date() });
    await client.audit.list.query({ since: new Date(), until: 1_780_000_000_000 });
    // @ts-expect-error: no time
    await client.audit.list.query({ since: "2026-05-28T20:26:40.000Z" });
    const invoke = client.sandboxFunctions.invoke.mutate;
    await invoke({
      wId,
      functionId: "f",
      input: { at: new Date(), list: [1, { left: undefined }], big: 1n },
    });
    await invoke({ wId, functionId: "f", input: new Map([["a", new Set([1n, new Date()])]]) });
    // @ts-expect-error: no text is its key
    await invoke({ wId, functionId: "f", input: new Map([[1, 1]]) });
    // @ts-expect-error: not JSON
    await invoke({ wId, functionId: "f", input: { a: /x/ } });
    // @ts-expect-error: not JSON
    await invoke({ wId, functionId: "f", input: () => 1 });
  };
  expect(never).toBeTypeOf("function");
});

test("REST takes times as numbers, and JSON", () => {
  const never = async (parley: Parley): Promise<void> => {
    const invoke = parley.functions.invoke;
    await invoke({ functionId: "f", input: { at: new Date(), list: [1, { left: undefined }] } });
    // @ts-expect-error: not JSON
    await invoke({ functionId: "f", input: new Map() });
    // @ts-expect-error: not JSON
    await invoke({ functionId: "f", input: { a: [1n] } });
    // @ts-expect-error: not JSON
    await parley.tools.invoke({ serverId: "s", name: "n", arguments: { a: new Set([1]) } });
    const folder = { dsId: "d", folderId: "f", title: "t", mime_type: "x/y" };
    await parley.folders.upsert({ ...folder, timestamp: 1_780_000_000_000 });
    // @ts-expect-error: milliseconds
    await parley.folders.upsert({ ...folder, timestamp: new Date() });
  };
  expect(never).toBeTypeOf("function");
});
