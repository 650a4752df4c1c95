import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openUser, settingsOf } from "./user.ts";
import { writeFiles } from "./workspace-folder.ts";

describe("parley knowledge push", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const open = async () => {
    const { home, start, run } = await openUser();
    const { workspaceId: wId, spaceId } = server().demo;
    const rpc = calls.rpc();
    const view = { wId, spaceId, name: "Handbook" };
    const { dataSourceView } = await rpc.dataSourceViews.create.mutate(view);
    const dsId = dataSourceView.dataSourceId;
    const args = ["knowledge", "push", "docs", "--source", dsId];
    const settings = settingsOf(server());
    return {
      folder: path.join(home, "docs"),
      push: async (...more: string[]) => run([...args, ...more], "", settings),
      search: async (query: string) =>
        run(["knowledge", "search", query, "--source", dsId], "", settings),
      start: (...more: string[]) => start([...args, ...more], "", settings),
      documents: async () => {
        const { documents } = await rpc.documents.list.query({ wId, dsId });
        return documents.map(({ document_id, title, parents, tags }) => {
          return [document_id, title, parents, tags] as const;
        });
      },
    };
  };

  it("uploads what changed alone, and deletes what is gone only if asked to", async () => {
    const { folder, push, documents } = await open();
    await writeFiles(folder, {
      "hours.md": "# Opening hours\n\nNine to six.\n",
      "shops/north/rent.txt": "Low.\n",
      "shops/picture.png": "no text",
      ".hidden/secret.md": "hidden",
      "node_modules/x/README.md": "not ours",
    });
    const first = await push("--tag", "public");
    expect([first.code, first.stdout]).toEqual([
      0,
      "uploaded: hours.md\nuploaded: shops/north/rent.txt\n2 uploaded, 0 unchanged, 0 removed, 0 failed\n",
    ]);
    const hours = ["hours.md", "Opening hours", ["hours.md"], ["public"]];
    const rent = "shops/north/rent.txt";
    const parents = [rent, "shops/north", "shops"];
    expect(await documents()).toEqual([hours, [rent, "rent.txt", parents, ["public"]]]);
    await writeFile(path.join(folder, "hours.md"), "# Opening hours\n\nNine to seven.\n");
    await rm(path.join(folder, "shops/north/rent.txt"));
    expect((await push()).stdout).toBe(
      "uploaded: hours.md\n1 uploaded, 0 unchanged, 0 removed, 0 failed\n",
    );
    expect(await documents()).toHaveLength(2);
    const removed = await push("--remove", "--json");
    expect(JSON.parse(removed.stdout)).toEqual({
      uploaded: 0,
      unchanged: 1,
      removed: 1,
      failed: 0,
    });
    expect(await documents()).toEqual([["hours.md", "Opening hours", ["hours.md"], []]]);
  });

  it("uploads what the search of the command line finds", async () => {
    const { folder, push, search } = await open();
    await writeFiles(folder, {
      "hours.md": "# Hours\n\n## Sunday\n\nWe are closed on zebradays.\n",
    });
    expect((await push()).code).toBe(0);
    const found = await eventually(async () => {
      const { stdout } = await search("zebraday");
      return stdout.startsWith("1. ") ? { value: stdout } : {};
    }, 30_000);
    expect(found).toBe(
      "1. Hours > Sunday (Handbook: hours.md)\n   ## Sunday We are closed on zebradays.\n",
    );
    expect((await search("nowhere-at-all")).stdout).toBe("No matching documents\n");
  });

  it("names the files that it cannot upload, and uploads the others", async () => {
    const { folder, push, documents } = await open();
    await writeFiles(folder, { "a.md": "x".repeat(600_000), "b.txt": "b\u0000", "c.md": "c" });
    const { code, stdout, stderr } = await push();
    expect([code, stdout]).toEqual([
      1,
      "uploaded: c.md\n1 uploaded, 0 unchanged, 0 removed, 2 failed\n",
    ]);
    expect(stderr).toContain("a.md: has more than 524288 characters");
    expect(stderr).toContain("b.txt: is not text in UTF-8");
    expect((await documents()).map(([id]) => id)).toEqual(["c.md"]);
  });

  it("uploads changes until it is interrupted", async () => {
    const { folder, start, documents } = await open();
    await writeFiles(folder, { "a.md": "a" });
    const program = start("--watch");
    const uploads = async (count: number) =>
      eventually(async () => ((await documents()).length === count ? { value: true } : {}), 30_000);
    await uploads(1);
    await writeFile(path.join(folder, "b.md"), "b");
    await uploads(2);
    program.signal("SIGINT");
    expect(await program.exited).toBe(0);
  });
});
