import { InvocationEvent, InvokedSandboxFunction } from "@parley/schema";
import { expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { type Answer, expectError, jsonOf, open, pathsOf, send } from "../request.ts";
import type { Server } from "../server.ts";
import { expectShape } from "../shape.ts";
import { invocationEvents } from "./wire-shapes.ts";

// The interface: redirect, the frames byte for byte, resuming.

/** The tests of following an invocation. */
export function invocationStreamsSuite(server: () => Server): void {
  async function invoke(slug: string, body: unknown = {}, prefer = "wait=10"): Promise<string> {
    const path = pathsOf(server()).invocations(slug);
    const answer = await send(server(), { path, json: body, headers: { prefer } });
    return jsonOf(answer, InvokedSandboxFunction, 201).parsed.invocation.sId;
  }

  /** One slow invocation that has ended, for all tests. */
  let slow: Promise<string> | undefined;
  const invokeSlowly = () => (slow ??= invoke("slow-steps"));

  const redirectPath = (slug: string, id: string, query = "") =>
    pathsOf(server()).events(slug, id) + query;
  const streamPath = (slug: string, id: string, query = "") =>
    redirectPath(slug, id, query).replace("/api/", "/api/sse/");
  const read = (slug: string, id: string, query = "", headers: Record<string, string> = {}) =>
    send(server(), { path: streamPath(slug, id, query), headers });

  /** The parsed events of a whole stream, each of which is one `data:` line and a blank line. */
  function eventsIn(answer: Answer): InvocationEvent[] {
    expect(answer.status).toBe(200);
    expect(answer.text).toMatch(/^(?:data: [^\r\n]+\n\n)*$/);
    const lines = answer.text.split("\n\n").slice(0, -1);
    return lines.map((line) => {
      const raw: unknown = JSON.parse(line.slice("data: ".length));
      const event = InvocationEvent.parse(raw);
      const name = event.type.replace("sandbox_function_invocation_", "");
      expectShape(raw, invocationEvents[name] ?? "unknown type", name);
      return event;
    });
  }

  const typesIn = (answer: Answer) =>
    eventsIn(answer).map(({ type }) => type.replace("sandbox_function_invocation_", ""));

  test("the redirect has the same path and query, under the public prefix", async () => {
    const id = await invoke("add", { input: { a: 1, b: 2 } });
    const queries = ["", "?", "?include=log,progress", "?lastEventId=1&x=%20%C3%A9&y=/api/&z"];
    for (const query of queries) {
      const path = redirectPath("add", id, query);
      const answer = await send(server(), { path });
      expect(answer.status).toBe(307);
      expect(answer.headers.get("location")).toBe(`/base${path.replace("/api/", "/api/sse/")}`);
      expect(answer.text).toBe("");
    }
    // A segment may be encoded: it stays as it is.
    const encoded = await send(server(), { path: redirectPath("%61dd", id) });
    expect(encoded.headers.get("location")).toBe(`/base${streamPath("%61dd", id)}`);
  });

  test("the redirect and the stream are guarded alike", async () => {
    const id = await invoke("add", { input: { a: 1, b: 2 } });
    for (const pathOf of [redirectPath, streamPath]) {
      expectError(
        await send(server(), { path: pathOf("add", id), key: null }),
        "not_authenticated",
      );
      const unknown = { path: pathOf("add", "sfi_AAAAAAAAAA") };
      expectError(await send(server(), unknown), "sandbox_function_invocation_not_found");
      const other = { path: pathOf("word-count", id) };
      expectError(await send(server(), other), "sandbox_function_invocation_not_found");
      const nothing = { path: pathOf("nothing", id) };
      expectError(await send(server(), nothing), "sandbox_function_not_found");
    }
  });

  test("a stream is two events, each a data line and a blank line", async () => {
    const id = await invoke("add", { input: { a: 19, b: 23 } });
    const functionId = server().demo.functions.find(({ slug }) => slug === "add")?.sId;
    const answer = await read("add", id);
    const events = eventsIn(answer);
    const [created, result] = events;
    expect(created).toMatchObject({ invocation: { sId: id, functionId, status: "created" } });
    expect(result).toMatchObject({ invocationId: id, functionId, result: { sum: 42 } });
    // The first bytes are the specification's.
    expect(answer.text).toMatch(
      new RegExp(
        `^data: \\{"type":"sandbox_function_invocation_created","created":\\d{13},` +
          `"invocation":\\{"sId":"${id}","functionId":"${functionId}","status":"created",` +
          `"createdAt":"[^"]+"\\}\\}\n\n`,
      ),
    );
    expect(answer.text.split("\n")).toHaveLength(5);
  });

  test("the headers are those of a stream", async () => {
    const { headers } = await read("add", await invoke("add"), "", {
      "accept-encoding": "gzip, br",
    });
    expect(headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-cache, no-transform");
    expect(headers.get("x-accel-buffering")).toBe("no");
    expect(headers.get("content-encoding")).toBeNull();
    expect(headers.get("x-request-id")).not.toBeNull();
  });

  test("a failure is the terminal event", async () => {
    const answer = await read("always-fails", await invoke("always-fails"));
    expect(typesIn(answer)).toEqual(["created", "error"]);
    expect(eventsIn(answer)[1]).toMatchObject({
      error: { code: "threw", message: "This function always fails" },
    });
  });

  test("log and progress are sent to those who ask for them", async () => {
    const id = await invokeSlowly();
    const of = async (query: string) => new Set(typesIn(await read("slow-steps", id, query)));
    expect(await of("")).toEqual(new Set(["created", "result"]));
    expect(await of("?include=")).toEqual(new Set(["created", "result"]));
    expect(await of("?include=nothing,LOG")).toEqual(new Set(["created", "result"]));
    expect(await of("?include=log")).toEqual(new Set(["created", "log", "result"]));
    expect(await of("?include=progress")).toEqual(new Set(["created", "progress", "result"]));
    const both = new Set(["created", "log", "progress", "result"]);
    expect(await of("?include=log,progress,other")).toEqual(both);
    expect(await of("?include=log&include=progress")).toEqual(both);
  });

  test("ids are sent to those who resume, in the frame and before the data", async () => {
    const id = await invoke("add");
    const plain = await read("add", id);
    const frames = plain.text.split("\n\n").slice(0, -1);
    const withIds = frames.map((frame, index) => `id: ${index + 1}\n${frame}\n\n`);
    for (const query of ["?lastEventId=", "?lastEventId=0", "?lastEventId=000"]) {
      expect((await read("add", id, query)).text).toBe(withIds.join(""));
    }
    for (const value of ["", "0"]) {
      expect((await read("add", id, "", { "last-event-id": value })).text).toBe(withIds.join(""));
    }
    expect((await read("add", id, "?lastEventId=1")).text).toBe(withIds[1]);
    expect((await read("add", id, "", { "last-event-id": "1" })).text).toBe(withIds[1]);
    // The header wins.
    const both = await read("add", id, "?lastEventId=2", { "last-event-id": "1" });
    expect(both.text).toBe(withIds[1]);
  });

  test("every cut of a log is resumed without a gap or a repetition", async () => {
    const id = await invokeSlowly();
    const include = "include=log,progress";
    const whole = (await read("slow-steps", id, `?${include}&lastEventId=0`)).text;
    const frames = whole.split(/(?<=\n\n)/);
    expect(frames).toHaveLength(10);
    for (let cut = 1; cut < frames.length; cut++) {
      const { text } = await read("slow-steps", id, `?${include}&lastEventId=${cut}`);
      expect(text).toBe(frames.slice(cut).join(""));
    }
    // Numbers are those of the log, also if some events are not sent.
    const hidden = await read("slow-steps", id, "?lastEventId=4");
    expect(hidden.text).toBe(frames.at(-1));
  });

  const cursors = [
    "x",
    "-1",
    "+1",
    "1.0",
    "1e0",
    " 1",
    "0x1",
    "%00",
    "1,2",
    "3",
    "99999999999999999999",
  ];

  test.for(cursors)("the cursor `%s` is refused", async (cursor) => {
    const id = await invoke("add");
    const message = "Invalid query parameters: ";
    const expected = { message, field: "lastEventId" };
    const query = await read("add", id, `?lastEventId=${encodeURI(cursor).replace("+", "%2B")}`);
    expectError(query, "invalid_request_error", expected);
    const header = await read("add", id, "", { "last-event-id": cursor.replace(" 1", "1 1") });
    expectError(header, "invalid_request_error", expected);
  });

  test("who has the terminal event is answered with no content", async () => {
    const id = await invoke("add");
    const redirect = await send(server(), { path: redirectPath("add", id, "?lastEventId=2") });
    expect(redirect.status).toBe(307);
    const end = await read("add", id, "?lastEventId=2");
    expect([end.status, end.text]).toEqual([204, ""]);
    const header = await read("add", id, "", { "last-event-id": "2" });
    expect([header.status, header.text]).toEqual([204, ""]);
  });

  test("events come while the function runs, and a follower that comes back misses none", async () => {
    const id = await invoke("slow-steps", {}, "respond-async");
    const query = "?include=log,progress&lastEventId=";
    const abort = new AbortController();
    const path = streamPath("slow-steps", id, `${query}0`);
    const first = await open(server(), { path, signal: abort.signal });
    const seen: string[] = [];
    for await (const frame of readFrames(first)) {
      seen.push(frame.text);
      if (seen.length === 3) break;
    }
    abort.abort();
    // It still runs: what was read came before its end.
    expect(seen).toHaveLength(3);
    const rest = await read("slow-steps", id, `${query}3`);
    const whole = await read("slow-steps", id, `${query}0`);
    expect(seen.join("") + rest.text).toBe(whole.text);
    expect(whole.text.match(/^id: \d+$/gm)).toEqual(
      Array.from({ length: 10 }, (_, index) => `id: ${index + 1}`),
    );
  });
}
