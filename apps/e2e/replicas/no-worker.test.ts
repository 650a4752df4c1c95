import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { type Answer, pathsOf, send } from "../request.ts";
import {
  createPlace,
  type Demo,
  eventually,
  settingsFor,
  startProgram,
  within,
} from "../server.ts";

const hello = { content: "Hello", mentions: [{ configurationId: "helper" }] };
const bodyOf = ({ text }: Answer) => JSON.parse(text) as Record<string, unknown>;
const noWorker = "No worker is running, so agents and functions wait";

test("an API without a worker says so until a worker comes, and again once that is killed", async () => {
  await using place = await createPlace();
  const settings = { ...settingsFor(place), PARLEY_LEASE_MS: "1000" };
  const api = startProgram(["api", "--demo"], { ...settings, PARLEY_BLOCKING_TIMEOUT_MS: "1500" });
  const worker = () => startProgram(["worker"], settings);
  await using programs = new AsyncDisposableStack();
  const stopAtEnd = (program: typeof api) =>
    programs.defer(async () => {
      program.signal("SIGKILL");
      await program.exited;
    });
  stopAtEnd(api);
  const url = await eventually(async () => {
    const [, value] = /Parley listens on (http:\S+)/.exec(api.output.stdout) ?? [];
    return value === undefined ? {} : { value };
  }, 30_000);
  const file = path.join(place.directory, "demo.json");
  const server = { url, demo: JSON.parse(await readFile(file, "utf8")) as Demo };
  const readyz = async () => {
    const answer = await send(server, { path: "/readyz", key: null });
    return [answer.status, bodyOf(answer)["details"]] as const;
  };
  const isDetailed = (isSo: boolean) =>
    eventually(async () => {
      const [status, details] = await readyz();
      expect(status).toBe(200);
      return (details !== undefined) === isSo ? { value: true } : {};
    }, 15_000);

  expect(await readyz()).toEqual([200, expect.stringContaining(noWorker)]);
  const { conversations } = pathsOf(server);
  const key = { "Idempotency-Key": "one" };
  const create = (headers = {}) =>
    send(server, { path: conversations, json: { message: hello, blocking: true }, headers });
  const vain = { path: "blocking", message: expect.stringContaining(noWorker) };
  const created = await create(key);
  expect(created.status).toBe(200);
  expect(bodyOf(created)).toMatchObject({ warnings: [vain] });
  expect(bodyOf(await create(key))).toMatchObject({ warnings: [vain] });
  const { sId } = bodyOf(created)["conversation"] as { sId: string };
  const posted = await send(server, {
    path: `${conversations}/${sId}/messages`,
    json: { ...hello, blocking: true },
  });
  expect(bodyOf(posted)).toMatchObject({ warnings: [vain] });
  // An answer that nobody waited for is not a reason to warn.
  const later = await send(server, { path: conversations, json: { message: hello } });
  expect(bodyOf(later)).not.toHaveProperty("warnings");
  const saysSo = () => api.output.stderr.split("\n").filter((line) => line.includes(noWorker));
  await eventually(async () => (saysSo().length > 0 ? { value: true } : {}), 15_000);

  const first = worker();
  stopAtEnd(first);
  await isDetailed(false);
  expect(bodyOf(await create())).not.toHaveProperty("warnings");
  // What waited is answered.
  expect(bodyOf(await create(key))).toMatchObject({ conversation: { sId } });
  expect(bodyOf(await create(key))).not.toHaveProperty("warnings");
  await eventually(
    async () => (api.output.stderr.includes("A worker is running again") ? { value: true } : {}),
    15_000,
  );
  expect(saysSo()).toHaveLength(1);

  // One that stops takes its sign away, one that is killed leaves it to expire.
  first.signal("SIGTERM");
  expect(await within(12_000, first.exited)).toBe(0);
  expect(await readyz()).toEqual([200, expect.stringContaining(noWorker)]);
  const second = worker();
  stopAtEnd(second);
  await isDetailed(false);
  second.signal("SIGKILL");
  await second.exited;
  await isDetailed(true);
}, 90_000);
