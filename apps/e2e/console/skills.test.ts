import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

const skillOf = (name: string, text = "Say *hello* first.") =>
  `---\nname: ${name}\ndescription: Greets people.\n---\n\n# Greeting\n\n${text}\n`;

const newName = () => `greeting-${randomUUID().slice(0, 8)}`;

describe.skipIf(!hasBrowser)("skills", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("imports a folder, shows the skill, and moves it between its states", async () => {
    const name = newName();
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-console-"));
    await mkdir(path.join(folder, name, ".git"), { recursive: true });
    await writeFile(path.join(folder, name, "SKILL.md"), skillOf(name));
    await writeFile(path.join(folder, name, "names.txt"), "Ada");
    await writeFile(path.join(folder, name, ".git/config"), "hidden");
    const page = await opened().enter("/skills");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Import" }).click();
    await expectAccessible(page);
    await page.locator("input[webkitdirectory]").setInputFiles(path.join(folder, name));
    const files = page.getByRole("group", { name: "Files to import" }).getByRole("row");
    await files.getByText(`${name}/names.txt`).waitFor();
    expect(await files.count()).toBe(3);
    await page.getByRole("button", { name: "Import", exact: true }).click();
    await page.getByRole("link", { name }).click();
    await rm(folder, { recursive: true });
    await page.getByRole("heading", { name: "Greeting", exact: true }).waitFor();
    await expectAccessible(page);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download names.txt" }).click();
    expect((await download).suggestedFilename()).toBe("names.txt");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("button", { name: "Availability" }).click();
    await page.getByRole("menuitemcheckbox", { name: "Everyone and all agents" }).click();
    await page
      .getByText(/is now active\. Availability: everyone and all agents/)
      .first()
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Restore" }).click();
    await page.getByRole("button", { name: "Archive" }).waitFor();
  });

  it("adds files to a skill, removes and restores them", async () => {
    const name = newName();
    const { skill } = await calls.rpc().skills.create.mutate({
      wId: server().demo.workspaceId,
      name,
      agentFacingDescription: "Greets",
      instructions: "Hello",
    });
    const page = await opened().enter(`/skills/${skill.sId}`);
    await page
      .locator('input[type="file"]')
      .setInputFiles([{ name: "names.txt", mimeType: "text/plain", buffer: Buffer.from("Ada") }]);
    await page.getByRole("button", { name: "Remove names.txt" }).click();
    await page.getByText("No files.").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Restore names.txt" }).click();
    await page.getByRole("button", { name: "Remove names.txt" }).waitFor();
    const stored = await calls
      .rpc()
      .skills.get.query({ wId: server().demo.workspaceId, skillId: skill.sId });
    expect(stored.skill.fileAttachments.map(({ fileName }) => fileName)).toEqual(["names.txt"]);
  });

  it("imports a zip, and says why an import was refused", async () => {
    const name = newName();
    const zip = (entries: Record<string, string>) => ({
      name: `${name}.zip`,
      mimeType: "application/zip",
      buffer: Buffer.from(
        zipSync(
          Object.fromEntries(Object.entries(entries).map(([at, text]) => [at, strToU8(text)])),
        ),
      ),
    });
    const page = await opened().enter("/skills/import");
    const input = page.locator('input[accept*="zip"]');
    await input.setInputFiles(zip({ "README.md": "Nothing" }));
    await page.getByRole("alert").getByText("No SKILL.md found").waitFor();
    await input.setInputFiles(zip({ "SKILL.md": skillOf(name) }));
    const send = page.getByRole("button", { name: "Import", exact: true });
    await send.click();
    await page
      .getByRole("region", { name: "Report" })
      .or(page.getByText("imported"))
      .first()
      .waitFor();
    await expectAccessible(page);
    await input.setInputFiles(zip({ "SKILL.md": skillOf(name, "Changed.") }));
    await send.click();
    await page.getByText("Nothing was imported").waitFor();
    await expectAccessible(page);
    await page
      .getByRole("combobox", { name: "On name conflict" })
      .selectOption("Replace the existing skill");
    await send.click();
    await page.getByText("updated").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
  });

  it("lets users read skills, but not change them", async () => {
    const page = await opened().enter("/skills", { key: server().demo.userKey });
    await page.getByRole("link", { name: "active-workspace-users" }).click();
    await page.getByRole("heading", { name: "active-workspace-users", level: 1 }).waitFor();
    await page.getByRole("region", { name: "Instructions" }).waitFor();
    expect(await page.getByRole("button", { name: "Archive" }).count()).toBe(0);
    await page.goBack();
    expect(await page.getByRole("link", { name: "Import" }).count()).toBe(0);
  });
});
