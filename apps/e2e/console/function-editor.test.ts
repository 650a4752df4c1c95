import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";
import { codeIn, writeCode } from "./write-code.ts";

const GREET = `export default (input: { name: string }) => ({ greeting: "Hello, " + input.name });`;

describe.skipIf(!hasBrowser)("the editor of functions", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const newSlug = () => `greet-${randomUUID().slice(0, 8)}`;

  async function createCode(source: string | Record<string, string> = GREET): Promise<string> {
    const slug = newSlug();
    const { workspaceId: wId } = server().demo;
    const program = { type: "javascript", source } as const;
    await calls.rpc().sandboxFunctions.create.mutate({ wId, slug, description: "Greets", program });
    return slug;
  }

  const stored = async (functionId: string) =>
    (await calls.rpc().sandboxFunctions.get.query({ wId: server().demo.workspaceId, functionId }))
      .sandboxFunction;

  const isChecked = (page: Page) => page.getByText("Types are checked as you write").waitFor();

  it("creates a function with code, and runs it", async () => {
    const slug = newSlug();
    const page = await opened().enter("/functions");
    await page.getByRole("link", { name: "New function" }).click();
    await isChecked(page);
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Slug" }).fill(slug);
    await page.getByRole("textbox", { name: "Description" }).fill("Greets somebody");
    await page.getByRole("textbox", { name: "Allowed hosts" }).fill("api.example.com");
    await page.getByRole("textbox", { name: "Requests", exact: true }).fill("3");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: slug }).waitFor();
    await page.getByRole("textbox", { name: "name" }).fill("Ada");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("group", { name: "Result" }).getByText("Hello, Ada!").waitFor();
    const { program } = await stored(slug);
    expect(program).toMatchObject({ allowedHosts: ["api.example.com"], fetches: 3, cpuMs: 10_000 });
  });

  it("shows errors of code and schemas at their lines, and saves the fixed version", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await isChecked(page);
    await writeCode(page, "Code of index.ts", "export default () => 1;\nconst x = import('fs');");
    await writeCode(page, "Input schema", '{\n  "type": "text"\n}');
    await page.getByRole("button", { name: "Save version" }).click();
    const refusal = page.getByRole("alert");
    await refusal
      .getByRole("listitem")
      .filter({ hasText: /index\.ts:2:\d+: .*not a file of the program/ })
      .waitFor();
    const ofCode = page.getByRole("list", { name: "Problems in “Code of index.ts”" });
    const fault = ofCode.getByRole("button", { name: /Line 2, .*not a file of the program/ });
    await fault.waitFor();
    const ofSchema = page.getByRole("list", { name: "Problems in “Input schema”" });
    await ofSchema.getByRole("button", { name: /^Line 2, / }).waitFor();
    expect(await page.locator(".cm-lint-marker-error").count()).toBe(2);
    await expectAccessible(page);
    await fault.click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.press("ControlOrMeta+Shift+k");
    await writeCode(page, "Input schema", '{ "type": "object" }');
    await ofCode.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    expect(await stored(slug)).toMatchObject({
      version: 2,
      inputSchema: { type: "object" },
      program: { source: "export default () => 1;" },
    });
  });

  it("checks types as you write, and suggests the members of the context", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await isChecked(page);
    const code = `import type { Context } from "./context.d.ts";
export default (input: { n: number }, context: Context) => input.n.trim();
`;
    await writeCode(page, "Code of index.ts", code);
    const problems = page.getByRole("list", { name: "Problems in “Code of index.ts”" });
    await problems.getByRole("button", { name: /Line 2, .*'trim' does not exist/ }).waitFor();
    await page.keyboard.insertText("export const later = (context: Context) => context");
    await page.keyboard.type(".pro");
    await page.getByRole("option", { name: /progress/ }).waitFor();
    // Nothing changes any more while the page is looked at.
    await problems.getByRole("button", { name: /'pro' does not exist/ }).waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Enter");
    await expect.poll(() => codeIn(page, "Code of index.ts")).toContain("context.progress");
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
  });

  it("has several files, which are added, renamed and removed", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await page.getByRole("button", { name: "Add file" }).click();
    const field = page.getByRole("textbox", { name: "Path" });
    await field.fill("../money.ts");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("Enter a relative path").waitFor();
    await expectAccessible(page);
    await field.fill("lib/money.ts");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await writeCode(page, "Code of lib/money.ts", "export const rate = 2;");
    await page.getByRole("tab", { name: "index.ts" }).click();
    const importing =
      'import { rate } from "./lib/money.ts";\nexport default () => rate;\nrate.trim();';
    await writeCode(page, "Code of index.ts", importing);
    const problems = page.getByRole("list", { name: "Problems in “Code of index.ts”" });
    await problems.getByRole("button", { name: /Line 3, .*'trim' does not exist/ }).waitFor();
    expect(await problems.getByRole("button").count()).toBe(1);
    await page.getByRole("tab", { name: "lib/money.ts" }).click();
    await page.getByRole("button", { name: "Rename lib/money.ts" }).click();
    await field.fill("lib/rates.ts");
    await page.getByRole("button", { name: "Rename", exact: true }).click();
    await page.getByRole("button", { name: "Save version" }).click();
    const faults = page.getByRole("alert").getByRole("listitem");
    await faults.getByText(/no file "\.\/lib\/money\.ts"/).waitFor();
    await page.getByRole("button", { name: "Remove lib/rates.ts" }).click();
    await writeCode(page, "Code of index.ts", GREET);
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    expect((await stored(slug)).program).toMatchObject({ source: GREET });
  });

  it("lets code use secrets, and read some of them", async () => {
    const slug = await createCode();
    const { workspaceId: wId } = server().demo;
    for (const name of ["RATES_TOKEN", "OTHER_TOKEN"]) {
      await calls.rpc().functionSecrets.put.mutate({ wId, name, value: "rates-token-1" });
    }
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await page.getByRole("checkbox", { name: "RATES_TOKEN", exact: true }).check();
    await page.getByRole("checkbox", { name: "OTHER_TOKEN", exact: true }).check();
    await page.getByRole("checkbox", { name: "The code may read RATES_TOKEN" }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    const { program } = await stored(slug);
    const secrets = program.type === "javascript" ? (program.secrets ?? []) : [];
    expect(secrets.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
      { name: "OTHER_TOKEN", readable: false },
      { name: "RATES_TOKEN", readable: true },
    ]);
  });

  it("edits a simulation, and shows its errors at their lines", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await page.getByRole("combobox", { name: "Runtime" }).selectOption("simulated");
    const name = "Behaviour (JSON)";
    await writeCode(page, name, '{\n  "steps": [],');
    const problems = page.getByRole("list", { name: `Problems in “${name}”` });
    await problems.getByRole("button").first().waitFor();
    await page.getByRole("button", { name: "Save version" }).click();
    await page
      .getByRole("alert")
      .getByText(/^Behaviour: Invalid JSON/)
      .waitFor();
    await writeCode(page, name, '{\n  "steps": [],\n  "result": "a +"\n}');
    await page.getByRole("button", { name: "Save version" }).click();
    await problems.getByRole("button", { name: /^Line 3, / }).waitFor();
    await expectAccessible(page);
    await writeCode(page, name, '{ "steps": [], "result": "1 + 1" }');
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    expect((await stored(slug)).program).toMatchObject({ behaviour: { result: "1 + 1" } });
  });

  it("is left with Escape and Tab, and says so", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    const editor = page.getByRole("textbox", { name: "Input schema" });
    await editor.click();
    await page.keyboard.press("Tab");
    const isFocused = () =>
      editor.evaluate((one) => (one.getRootNode() as ShadowRoot).activeElement === one);
    expect(await isFocused()).toBe(true);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await isFocused()).toBe(false);
    const description = await editor.evaluate((one) => {
      const id = one.getAttribute("aria-describedby") ?? "";
      return (one.getRootNode() as ShadowRoot).getElementById(id)?.textContent;
    });
    expect(description).toContain("Press Escape, then Tab, to leave the editor");
  });

  it("works without types if TypeScript does not load", async () => {
    const slug = await createCode();
    const page = await opened().enterAnew("/functions");
    await page.route(/types-worker/, async (route) => route.abort());
    await page.goto(`${opened().url}/functions/${slug}?view=edit`);
    await page.getByText("TypeScript could not be loaded, so types are not checked").waitFor();
    await writeCode(page, "Code of index.ts", "export default () => 7;");
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    expect((await stored(slug)).program).toMatchObject({ source: "export default () => 7;" });
  });

  it("asks before changes are lost, and refuses to overwrite those of others", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`);
    await page.getByRole("textbox", { name: "Description" }).fill("Mine");
    await page.getByRole("tab", { name: "Run" }).click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Stay" }).click();
    const theirs = { wId: server().demo.workspaceId, functionId: slug, version: 1 };
    await calls.rpc().sandboxFunctions.update.mutate({ ...theirs, description: "Theirs" });
    await page.getByRole("button", { name: "Save version" }).click();
    await page.getByText("The function was not saved").waitFor();
    expect(await stored(slug)).toMatchObject({ version: 2, description: "Theirs" });
    await page.getByRole("button", { name: "Load newest version" }).click();
    await expect
      .poll(() => page.getByRole("textbox", { name: "Description" }).inputValue())
      .toBe("Theirs");
    await page.getByRole("tab", { name: "Run" }).click();
    await page.getByRole("button", { name: "Run" }).waitFor();
  });

  it("is not offered to users", async () => {
    const slug = await createCode();
    const page = await opened().enter(`/functions/${slug}?view=edit`, {
      key: server().demo.userKey,
    });
    await page.getByRole("tab", { name: "Run" }).waitFor();
    expect(await page.getByRole("tab", { name: /Edit|Versions/ }).count()).toBe(0);
    expect(await page.getByRole("button", { name: /Save/ }).count()).toBe(0);
    await goTo(page, "/functions/new");
    await page.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
  });
});
