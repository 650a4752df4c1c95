import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pathsOf, send } from "../request.ts";
import { eventually, type Program, settingsFor, shareServer, startProgram } from "../server.ts";

/** Two server processes on one database, which know nothing of each other. */
describe("two servers", { timeout: 60_000 }, () => {
  // They answer the same bytes only if clients see them under one URL.
  const settings = { PARLEY_PUBLIC_URL: "http://parley.test" };
  const server = shareServer(settings);
  let other: Program;
  let otherUrl: string;
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), "parley-e2e-"));
    other = startProgram(["serve"], {
      ...settingsFor(server().place),
      ...settings,
      PARLEY_DATA_DIR: directory,
    });
    otherUrl = await eventually(async () => {
      const url = /Server listening at (http:[^"\s]+)/.exec(other.output.stderr)?.[1];
      return url === undefined ? {} : { value: url };
    }, 30_000);
  }, 60_000);
  afterAll(async () => {
    other.signal("SIGTERM");
    await other.exited;
    await rm(directory, { recursive: true, force: true });
  });

  test("have each other's changes of skills in their next lists", async () => {
    const { demo, url } = server();
    const { workspaceId, operatorKey } = demo;
    const rpcs = [url, otherUrl].map((at) => createRpcClient({ url: at, apiKey: operatorKey }));
    const { skill } = await rpcs[0]!.skills.create.mutate({
      wId: workspaceId,
      name: "0",
      agentFacingDescription: "x",
      availability: "workspace_users",
    });
    const skillId = skill.sId;
    const list = async (at: string) => {
      const { text, headers } = await send({ url: at, demo }, { path: pathsOf(server()).skills });
      const { skills } = JSON.parse(text) as { skills: { sId: string; name: string }[] };
      return { name: skills.find(({ sId }) => sId === skillId)?.name, etag: headers.get("etag") };
    };
    for (let version = 0; version < 10; version++) {
      // Kept by both, and answered from what is kept.
      for (const at of [url, otherUrl, url, otherUrl]) {
        expect((await list(at)).name).toBe(String(version));
      }
      const name = String(version + 1);
      // Others ask all along, so that what is sent again is as old as it may be.
      let changed = false;
      const askOn = async (at: string) => {
        while (!changed) await list(at);
      };
      const asking = [url, otherUrl].map(askOn);
      await rpcs[version % 2]!.skills.update.mutate({ wId: workspaceId, skillId, version, name });
      const [ours, theirs] = await Promise.all([list(url), list(otherUrl)]);
      changed = true;
      await Promise.all(asking);
      expect(ours).toMatchObject({ name });
      expect(ours).toEqual(theirs);
    }
  });
});
