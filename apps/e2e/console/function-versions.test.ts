import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";
import { writeCode } from "./write-code.ts";

describe.skipIf(!hasBrowser)("the versions of a function", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const codeOf = (name: string) => `const name = "${name}";\n\nexport default () => name;\n`;

  /** Makes a function with a version of the code for each name. */
  async function createVersions(names: readonly string[]): Promise<string> {
    const { workspaceId: wId } = server().demo;
    const functionId = `named-${randomUUID().slice(0, 8)}`;
    const programs = names.map((name) => ({ type: "javascript", source: codeOf(name) }) as const);
    const [first, ...others] = programs;
    if (first === undefined) throw new Error("A function has a version");
    const { create, update } = calls.rpc().sandboxFunctions;
    await create.mutate({ wId, slug: functionId, description: "Names", program: first });
    for (const [index, program] of others.entries()) {
      await update.mutate({ wId, functionId, version: index + 1, program });
    }
    return functionId;
  }

  it("lists them, and shows the differences between two of them", async () => {
    const slug = await createVersions(["Ada", "Grace", "Alan"]);
    const page = await opened().enter(`/functions/${slug}`);
    await page.getByRole("tab", { name: "Versions" }).click();
    const diff = page.getByRole("group", { name: "Differences in index.ts" });
    await diff.getByText('const name = "Alan";').waitFor();
    const rows = async () => diff.locator("del, ins").allTextContents();
    expect(await rows()).toEqual(['const name = "Grace";', 'const name = "Alan";']);
    await expectAccessible(page);
    await page.getByRole("combobox", { name: "From" }).selectOption("Version 1");
    await diff.getByText('const name = "Ada";').waitFor();
    expect(page.url()).toContain("old=1&new=3");
    await page.getByRole("link", { name: "Show changes in version 2" }).click();
    await diff.getByText('const name = "Grace";').waitFor();
    expect(await rows()).toEqual(['const name = "Ada";', 'const name = "Grace";']);
    await page.getByRole("combobox", { name: "From" }).selectOption("Version 2");
    await page.getByText("No differences").waitFor();
    const table = page.getByRole("group", { name: "Versions", exact: true });
    expect(await table.getByRole("row").count()).toBe(4);
    expect(await table.getByRole("link", { name: "Reuse version 3" }).count()).toBe(0);
  });

  it("shows differences of schemas and settings, too", async () => {
    const slug = await createVersions(["Ada"]);
    await calls.rpc().sandboxFunctions.update.mutate({
      wId: server().demo.workspaceId,
      functionId: slug,
      version: 1,
      inputSchema: { type: "object" },
      timeoutMs: 5000,
    });
    const page = await opened().enter(`/functions/${slug}?view=versions`);
    const schema = page.getByRole("group", { name: "Differences in Input schema" });
    await schema.getByText('"type": "object"').waitFor();
    const settings = page.getByRole("group", { name: "Differences in Settings" });
    await settings.getByText('"timeoutMs": 5000').waitFor();
    expect(await page.getByRole("group", { name: /^Differences in/ }).count()).toBe(2);
  });

  it("reuses an old version as a new one", async () => {
    const slug = await createVersions(["Ada", "Grace"]);
    const page = await opened().enter(`/functions/${slug}?view=versions`);
    await page.getByRole("link", { name: "Reuse version 1" }).click();
    await page.getByText("You are editing version 1. Saving creates version 3").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 3").first().waitFor();
    await page.getByText("You are editing version 1.").waitFor({ state: "detached" });
    const call = { wId: server().demo.workspaceId, functionId: slug };
    const { sandboxFunction } = await calls.rpc().sandboxFunctions.get.query(call);
    expect(sandboxFunction).toMatchObject({ version: 3, program: { source: codeOf("Ada") } });
    await writeCode(page, "Code of index.ts", codeOf("Alan"));
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 4").first().waitFor();
  });

  it("loads older versions on request, and says which do not exist", async () => {
    const slug = await createVersions(Array.from({ length: 22 }, (_, index) => `n${index}`));
    const page = await opened().enter(`/functions/${slug}?view=versions`);
    const rows = page.getByRole("group", { name: "Versions", exact: true }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(21);
    await page.getByRole("button", { name: "Older versions" }).click();
    await expect.poll(() => rows.count()).toBe(23);
    expect(await page.getByRole("button", { name: "Older versions" }).count()).toBe(0);
    await goTo(page, `/functions/${slug}?view=versions&old=40&new=41`);
    await page.getByText("Version 40 does not exist").waitFor();
    await goTo(page, `/functions/${slug}?view=edit&of=40`);
    await page.getByText("Version 40 does not exist").waitFor();
  });
});
