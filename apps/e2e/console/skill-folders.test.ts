import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

const skillOf = (name: string) =>
  `---\nname: ${name}\ndescription: Greets people.\n---\n\nSay hello first.\n`;

const newName = () => `greeting-${randomUUID().slice(0, 8)}`;

describe.skipIf(!hasBrowser)("folders of skills", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), "parley-drop-"));
  });
  afterAll(async () => rm(folder, { recursive: true }));

  /** Drops a file or folder of the disk, as a person does. */
  async function drop(page: Page, dropped: string): Promise<void> {
    const zone = page.getByRole("group", { name: "Skills to import" });
    const box = await zone.boundingBox();
    if (box === null) throw new Error("There is nothing to drop on");
    const at = { x: box.x + box.width / 2, y: box.y + 12 };
    const data = { items: [], files: [dropped], dragOperationsMask: 1 };
    const session = await page.context().newCDPSession(page);
    for (const type of ["dragEnter", "dragOver", "drop"] as const) {
      await session.send("Input.dispatchDragEvent", { type, ...at, data });
    }
    await session.detach();
  }

  const filesOf = async (page: Page) => {
    const rows = page.getByRole("group", { name: "Files to import" }).locator("tbody tr");
    await rows.first().waitFor();
    return (await rows.locator("td:first-child").allTextContents()).toSorted();
  };

  const importAll = (page: Page) =>
    page.getByRole("button", { name: "Import", exact: true }).click();

  it("imports a dropped folder, folder of folders, and zip", async () => {
    const [one, two, three] = [newName(), newName(), newName()];
    const set = path.join(folder, "set");
    await mkdir(path.join(set, one, "data"), { recursive: true });
    await mkdir(path.join(set, two));
    await writeFile(path.join(set, one, "SKILL.md"), skillOf(one));
    await writeFile(path.join(set, one, "data/names.txt"), "Ada");
    await writeFile(path.join(set, two, "SKILL.md"), skillOf(two));
    const zip = path.join(folder, `${three}.zip`);
    await writeFile(zip, zipSync({ [`${three}/SKILL.md`]: strToU8(skillOf(three)) }));
    const page = await opened().enter("/skills/import");
    await drop(page, path.join(set, one));
    expect(await filesOf(page)).toEqual([`${one}/SKILL.md`, `${one}/data/names.txt`]);
    await importAll(page);
    await page.getByRole("link", { name: one }).waitFor();
    await expectAccessible(page);
    await drop(page, set);
    await page.getByText(`set/${two}/SKILL.md`).waitFor();
    await page
      .getByRole("combobox", { name: "On name conflict" })
      .selectOption("Keep the existing skill");
    await importAll(page);
    const report = page.getByRole("region", { name: "Report" }).or(page.getByRole("status"));
    await report.getByRole("row").filter({ hasText: one }).getByText("skipped").waitFor();
    await report.getByRole("row").filter({ hasText: two }).getByText("imported").waitFor();
    await drop(page, zip);
    expect(await filesOf(page)).toEqual([`${three}/SKILL.md`]);
    await importAll(page);
    await page.getByRole("link", { name: three }).click();
    await page.getByRole("heading", { name: three, level: 1 }).waitFor();
  });

  it("exports a skill with its files as a zip that can be imported", async () => {
    const name = newName();
    await mkdir(path.join(folder, name));
    await writeFile(path.join(folder, name, "SKILL.md"), skillOf(name));
    await writeFile(path.join(folder, name, "names.txt"), "Ada");
    const page = await opened().enter("/skills/import");
    await drop(page, path.join(folder, name));
    await importAll(page);
    await page.getByRole("link", { name }).click();
    const files = page.getByRole("region", { name: "Files" });
    await files.getByRole("listitem").filter({ hasText: "names.txt" }).waitFor();
    await expectAccessible(page);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe(`${name}.zip`);
    const zip = path.join(folder, "exported", `${name}.zip`);
    await saved.saveAs(zip);
    const entries = unzipSync(new Uint8Array(await readFile(zip)));
    expect(Object.keys(entries).toSorted()).toEqual([`${name}/SKILL.md`, `${name}/names.txt`]);
    expect(strFromU8(entries[`${name}/SKILL.md`] ?? new Uint8Array())).toContain("Say hello first");
    await goTo(page, "/skills/import");
    await drop(page, zip);
    await page
      .getByRole("combobox", { name: "On name conflict" })
      .selectOption("Replace the existing skill");
    await importAll(page);
    await page.getByText("updated").waitFor();
  });

  it("exports nothing for users", async () => {
    const { skill } = await calls.rpc().skills.create.mutate({
      wId: server().demo.workspaceId,
      name: newName(),
      agentFacingDescription: "Greets",
      instructions: "Hello",
      availability: "workspace_users",
    });
    const page = await opened().enter(`/skills/${skill.sId}`, { key: server().demo.userKey });
    await page.getByRole("heading", { name: skill.name, level: 1 }).waitFor();
    await page.getByRole("region", { name: "Instructions" }).waitFor();
    expect(await page.getByRole("button", { name: "Export" }).count()).toBe(0);
  });
});
