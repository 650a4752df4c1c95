import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { builtFile } from "../programs.ts";

test("a command whose reader has left ends without a word", async () => {
  const child = spawn(process.execPath, [builtFile("parley.js"), "serve", "--help"], { env: {} });
  // Before the program has written anything.
  child.stdout.destroy();
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
  const [code] = (await once(child, "close")) as [number | null];
  expect([code, said]).toEqual([1, ""]);
});
