import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openUser, settingsOf } from "./user.ts";

describe("parley knowledge tables", () => {
  const server = shareServer();
  const calls = createCalls(server);
  const open = async (name: string) => {
    const { home, run } = await openUser();
    const { workspaceId: wId, spaceId } = server().demo;
    const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate({
      wId,
      spaceId,
      name,
    });
    return {
      dsId: dataSourceView.dataSourceId,
      wId,
      file: (file: string, text: string | Buffer) => writeFile(path.join(home, file), text),
      run: (...args: string[]) => run(["knowledge", "tables", ...args], "", settingsOf(server())),
    };
  };

  it("uploads files under their names, adds to them, and reads them page by page", async () => {
    const { file, run, dsId, wId } = await open("Prices");
    await file("prices.csv", "product,price\nTea,3.5\n");
    await file("stock.CSV", "product\tcount\nTea\t7\n");
    const pushed = await run("push", "prices.csv", "stock.CSV", "--source", "Prices", "--tag", "a");
    expect([pushed.code, pushed.stdout]).toEqual([
      0,
      "uploaded: prices, 1 rows of product (text), price (float)\n" +
        "uploaded: stock, 1 rows of product (text), count (int)\n",
    ]);
    await file("more.csv", "product,price\nMilk,1\n");
    const added = await run("push", "more.csv", "--source", dsId, "--id", "prices", "--append");
    expect(added.stdout).toBe("uploaded: prices, 2 rows of product (text), price (float)\n");
    const got = await run("get", "Prices", "prices", "--limit", "1", "--json");
    expect(JSON.parse(got.stdout)).toMatchObject({ rows: [{ row_id: "1" }], total: 2 });
    const { tables } = await calls.rpc().tables.list.query({ wId, dsId });
    expect(tables.map(({ table_id: id, tags }) => [id, tags])).toEqual([
      ["prices", []],
      ["stock", ["a"]],
    ]);
    expect((await run("remove", "Prices", "stock", "--yes")).stdout).toBe("removed: table stock\n");
    expect(JSON.parse((await run("list", "Prices", "--json")).stdout).tables).toHaveLength(1);
  });

  it("says what is wrong with a file, and where", async () => {
    const { file, run } = await open("Faults");
    await file("a.csv", "a,b\n1\n");
    await file("b.csv", Buffer.from([0xff, 0xfe, 0x61]));
    const push = async (...files: string[]) => {
      const { code, stderr } = await run("push", ...files, "--source", "Faults");
      return [code, stderr];
    };
    expect(await push("a.csv")).toEqual([
      1,
      expect.stringContaining("csv: line 2 has 1 cells, unlike the first line"),
    ]);
    expect(await push("b.csv")).toEqual([1, expect.stringContaining("is not text in UTF-8")]);
    expect(await push("a.csv", "b.csv", "--id", "x")).toEqual([
      1,
      expect.stringContaining("--id and --title are for a single file"),
    ]);
  });
});
