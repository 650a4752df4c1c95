import { expect, test } from "vitest";
import { tokenOfRound } from "./publish-plan.ts";
import { readRounds } from "./round-reader.ts";

const frame = (round: number) => `data: ${JSON.stringify(tokenOfRound(round, "message"))}\n\n`;

function read(bytes: Buffer): (number | undefined)[] {
  const rounds: (number | undefined)[] = [];
  readRounds(bytes, (readRound) => rounds.push(readRound()));
  return rounds;
}

test("every event is found, with its round", () => {
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: ping\n\n";
  expect(read(Buffer.from(head + frame(0) + frame(12) + frame(345)))).toEqual([0, 12, 345]);
});

test("an event that comes in two pieces is found once, wherever it was cut", () => {
  const whole = Buffer.from(frame(12));
  for (let cut = 0; cut <= whole.length; cut++) {
    const found = [whole.subarray(0, cut), whole.subarray(cut)].flatMap(read);
    expect(found).toHaveLength(1);
    expect([12, undefined]).toContain(found[0]);
  }
});
