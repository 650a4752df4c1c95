import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { takePort } from "../proxy/nginx.ts";
import { createPlace, shareServer, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openGate } from "./gate.ts";
import { keys, leave, openChat } from "./open-chat.ts";
import { openUser, settingsOf } from "./user.ts";

const { enter, ctrlC, up } = keys;

const shared = shareServer();
const words = Array.from({ length: 100 }, (_word, index) => `w${index}`);
const script = { steps: [{ text: words.join(" ") }], tokenDelayMs: 20 };

test("a chat outlives its server, and loses no word of an answer", async () => {
  await using place = await createPlace();
  const settings = { PARLEY_PORT: String(await takePort()) };
  let server = await startServer(place, settings);
  try {
    await createCalls(() => server).createAgent("Counting", script);
    const terminal = await openChat(server, ["Counting"]);
    await terminal.waitFor("Counting>");
    terminal.write(`Count${enter}`);
    await terminal.waitFor("w20");
    await server.kill();
    await terminal.waitFor("connection lost, retrying; Ctrl-C stops waiting");
    server = await startServer(place, settings);
    await terminal.waitFor("reconnected", 30_000);
    const seen = await terminal.waitFor(/w99\n\nCounting>$/, 60_000);
    expect(seen.match(/\bw\d+\b/g)).toEqual(words);
    await leave(terminal);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

test("an answer whose server is gone can be left, and what was not sent is sent later", async () => {
  await createCalls(shared).createAgent("Counting", script);
  await using gate = await openGate(shared().url);
  const settings = { PARLEY_URL: gate.url };
  const terminal = await openChat(shared(), ["Counting"], { settings });
  await terminal.waitFor("Counting>");
  terminal.write(`Count${enter}`);
  await terminal.waitFor("w20");
  await gate.shut();
  await terminal.waitFor("connection lost");
  terminal.write(ctrlC);
  await terminal.waitFor(/detached: the answer will be in the conversation\n\nCounting>$/);
  terminal.write(`Anybody there?${enter}`);
  await terminal.waitFor(/parley: [^\n]*ECONNREFUSED[^]*start it[^]*\n\nCounting>$/);
  await gate.open();
  // What could not be sent is in the history.
  terminal.write(up);
  await terminal.waitFor(/Counting> Anybody there\?$/);
  terminal.write(enter);
  await terminal.waitFor(/> Anybody there\?\n\nw0[^]*w99\n\nCounting>$/, 60_000);
  expect(await leave(terminal)).not.toBe("");
});

test("a message that a server does not take can be given up", async () => {
  await using gate = await openGate(shared().url);
  const settings = { PARLEY_URL: gate.url };
  const terminal = await openChat(shared(), ["helper"], { settings });
  await terminal.waitFor("helper>");
  gate.hold();
  terminal.write(`Hello${enter}`);
  await terminal.waitFor(/helper> Hello\n\n…$/);
  terminal.write(ctrlC);
  await terminal.waitFor(/parley: Stopped waiting; [^\n]*\n\nhelper>$/);
  await gate.open();
  terminal.write(`${up}${enter}`);
  await terminal.waitFor(/helper> Hello\n\nYou said: Hello\n[^]*helper>$/);
  expect(await leave(terminal)).not.toBe("");
});

test.for([
  [{ PARLEY_API_KEY: "sk-nobody" }, /^parley: [^\n]*key[^\n]*\n$/],
  [{ PARLEY_URL: "http://127.0.0.1:1" }, /^parley: Cannot reach the server [^\n]*\n$/],
] as const)("a chat with %o ends before its prompt", async ([settings, says]) => {
  const { see } = await openUser();
  const { code, stdout, stderr } = await see(["chat", "helper"], {
    settings: { ...settingsOf(shared()), ...settings },
  });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stripVTControlCharacters(stderr)).toMatch(says);
});
