import { expect, test } from "vitest";
import { takePort } from "../proxy/nginx.ts";
import { createPlace, startServer, within } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { keys, leave, openChat } from "./open-chat.ts";

const { enter, ctrlC, up } = keys;

test("a chat outlives its server, and loses no word of an answer", async () => {
  await using place = await createPlace();
  const settings = { PARLEY_PORT: String(await takePort()) };
  const words = Array.from({ length: 150 }, (_word, index) => `w${index}`);
  let server = await startServer(place, settings);
  try {
    const calls = createCalls(() => server);
    await calls.createAgent("Counting", {
      steps: [{ text: words.join(" ") }],
      tokenDelayMs: 20,
    });
    const terminal = await openChat(server, ["Counting"]);
    await terminal.waitFor("Counting>");
    terminal.write(`Count${enter}`);
    await terminal.waitFor("w20");
    await server.kill();
    await terminal.waitFor("connection lost: trying again, Ctrl-C stops waiting");
    server = await startServer(place, settings);
    await terminal.waitFor("connected again", 30_000);
    const seen = await terminal.waitFor(/w149\n\nCounting>$/, 60_000);
    expect(seen.match(/\bw\d+\b/g)).toEqual(words);

    terminal.write(`Count${enter}`);
    await terminal.waitFor(/> Count\n[^]*> Count\n\n[^]*w20/);
    await server.kill();
    await terminal.waitFor(/connection lost[^]*connection lost/);
    terminal.write(ctrlC);
    await terminal.waitFor(/left to itself: what it says is in the conversation\n\nCounting>$/);
    terminal.write(`Anybody there?${enter}`);
    await terminal.waitFor(/parley: [^\n]*ECONNREFUSED[^]*start the server[^]*\n\nCounting>$/);
    server = await startServer(place, settings);
    // What could not be sent is in the history.
    terminal.write(up);
    await terminal.waitFor(/Counting> Anybody there\?$/);
    terminal.write(enter);
    await terminal.waitFor(/> Anybody there\?\n\nw0[^]*w149\n\nCounting>$/, 60_000);
    await leave(terminal);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});

test("a message that a server does not take can be given up", async () => {
  await using place = await createPlace();
  await using server = await startServer(place);
  const terminal = await openChat(server, ["helper"]);
  await terminal.waitFor("helper>");
  server.signal("SIGSTOP");
  try {
    terminal.write(`Hello${enter}`);
    await terminal.waitFor(/helper> Hello\n\n…$/);
    terminal.write(ctrlC);
    await terminal.waitFor(/parley: No longer waited for: [^\n]*\n\nhelper>$/);
  } finally {
    server.signal("SIGCONT");
  }
  terminal.write(`${up}${enter}`);
  await terminal.waitFor(/helper> Hello\n\nYou said: Hello\n[^]*helper>$/);
  expect(await leave(terminal)).not.toBe("");
});

test("a chat without a server, or with a wrong key, ends before its prompt", async () => {
  await using place = await createPlace();
  await using server = await startServer(place);
  const cases = [
    [{ PARLEY_API_KEY: "sk-nobody" }, /^parley: [^\n]*key/],
    [{ PARLEY_URL: "http://127.0.0.1:1" }, /^parley: [^\n]*start the server/],
  ] as const;
  for (const [settings, says] of cases) {
    const terminal = await openChat(server, ["helper"], { settings, columns: 200 });
    expect(await within(20_000, terminal.exited)).toBe(1);
    expect(terminal.scrollback()).toMatch(says);
    expect(terminal.scrollback()).not.toContain("\n");
  }
});
