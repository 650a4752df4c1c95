import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { root, shareServer } from "../server.ts";
import { shareShop } from "../tools/shop-server.ts";
import type { AnyClient } from "./client-fixtures.ts";
import { createMethodCalls, local, nameError, type Outcome } from "./client-methods.ts";

// Every method of the published clients is called, and docs/published-clients.md says what it answers.

const versions = ["1.0.50", "1.0.57", "1.2.4", "1.2.6", "1.2.8"];
const parts = ["agents", "conversations", "files"];

function openClient(version: string, of: { url: string; workspaceId: string; apiKey: string }) {
  const { DustAPI } = createRequire(import.meta.url)(`dust-client-${version}`) as {
    DustAPI: new (config: object, credentials: object, logger: object) => AnyClient;
  };
  const { url, ...credentials } = of;
  const say = (): void => {};
  const logger = { trace: say, debug: say, info: say, warn: say, error: say };
  return new DustAPI({ url }, credentials, logger);
}

const namesOn = (value: object) =>
  Object.getOwnPropertyNames(Object.getPrototypeOf(value)).filter(
    (name) => name !== "constructor" && !name.startsWith("_") && !local.has(name),
  );

/** The methods of a client that make requests, with those of its parts. */
const methodsOf = (client: AnyClient) =>
  namesOn(client).flatMap((name) =>
    parts.includes(name) ? namesOn(client[name]!).map((one) => `${name}.${one}`) : [name],
  );

describe("published clients", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const shop = shareShop();

  test("answer in every method as the documentation says", async () => {
    const found = new Map<string, Map<string, Outcome>>();
    for (const version of versions) {
      const { workspaceId, adminKey: apiKey } = server().demo;
      const client = openClient(version, { url: server().url, workspaceId, apiKey });
      const calls = createMethodCalls({ version, client, server, shopUrl: () => shop().url });
      for (const method of methodsOf(client)) {
        const call = calls[method];
        if (call === undefined) throw new Error(`${method} of ${version} has no call`);
        // One after the other: they share a workspace.
        // oxlint-disable-next-line no-await-in-loop
        const outcome = await call().then(() => "works", nameError);
        const row = found.get(method) ?? new Map<string, Outcome>();
        found.set(method, row.set(version, outcome));
      }
    }
    const rows = [...found].map(([method, row]) => [
      method,
      ...versions.map((version) => row.get(version) ?? "–"),
    ]);
    const page = await readFile(path.join(root, "docs/published-clients.md"), "utf8");
    const written = page
      .split("\n")
      .filter((line) => line.startsWith("| `"))
      .map((line) => line.split("|").map((cell) => cell.replaceAll("`", "").trim()));
    expect(written.map((row) => row.slice(1, 2 + versions.length))).toEqual(rows);
    const fails = (row: readonly string[]) =>
      row.slice(2, 2 + versions.length).some((cell) => cell !== "works" && cell !== "–");
    // What does not work has its reason beside it.
    const unexplained = written.filter((row) => fails(row) && row[2 + versions.length] === "");
    expect(unexplained).toEqual([]);
  }, 180_000);
});
