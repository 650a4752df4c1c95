import { expect, test } from "vitest";
import { createPlace, startServer, within } from "../server.ts";
import { answerOf, connect, revisions, textOf } from "./connect.ts";

test.for(revisions)(
  "a server that shuts down returns calls of revision %s as they are",
  { timeout: 60_000 },
  async (revision) => {
    await using place = await createPlace();
    // A process of its own, which a signal shuts down.
    await using server = await startServer(place);
    const client = await connect(server, server.demo.userKey, revision);
    let told = false;
    const call = client.callTool(
      { name: "agent__slowpoke", arguments: { message: "Hi" } },
      {
        onprogress: () => {
          if (!told) server.signal("SIGTERM");
          told = true;
        },
      },
    );
    const result = await within(10_000, call);
    expect(answerOf(result).status).toMatch(/^(?:created|succeeded)$/);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).not.toBe("");
    expect(await within(12_000, server.exited)).toBe(0);
    expect(server.output.stderr).not.toContain('"level":50');
  },
);
