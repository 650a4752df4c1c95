import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("runs", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const createFunction = async (slug: string, durationMs: number) =>
    calls.rpc().sandboxFunctions.create.mutate({
      wId: server().demo.workspaceId,
      slug,
      description: `What ${slug} does`,
      program: { type: "simulated", behaviour: { durationMs, steps: [] } },
    });
  const invoke = async (functionId: string, input: Record<string, number> = {}) => {
    const { workspaceId: wId } = server().demo;
    const invoked = { wId, functionId, input };
    const { invocation } = await calls.rpc().sandboxFunctions.invoke.mutate(invoked);
    return invocation.sId;
  };

  it("shows runs as they start, and cancels the selected ones", async () => {
    await createFunction("lasting", 60_000);
    const page = await opened().enter("/runs");
    const table = page.getByRole("group", { name: "Runs" });
    const first = await invoke("lasting");
    const row = table.getByRole("row").filter({ hasText: first });
    await row.getByText("Running", { exact: true }).waitFor();
    await expectAccessible(page);
    // A run that starts later moves the row, but not the selection.
    await page.getByRole("checkbox", { name: `Select lasting ${first}` }).check();
    const third = await invoke("lasting");
    const script = { steps: [{ text: "word ".repeat(600) }], tokenDelayMs: 100 };
    const ponderous = await calls.createAgent("ponderous", script);
    await calls.create("Think", [ponderous]);
    await page.getByRole("checkbox", { name: "Select ponderous" }).check();
    await page.getByRole("button", { name: "Cancel (2)" }).click();
    await page.getByText("2 runs cancelled").first().waitFor();
    await row.getByText("Cancelled", { exact: true }).first().waitFor();
    const left = table.getByRole("row").filter({ hasText: third });
    expect(await left.getByText("Running", { exact: true }).count()).toBe(1);
    await page.getByRole("button", { name: "Select active" }).click();
    await page.getByRole("button", { name: "Cancel (1)" }).click();
    await left.getByText("Cancelled", { exact: true }).first().waitFor();
    await row.getByRole("link", { name: "lasting" }).click();
    await page.getByRole("region", { name: "Outcome" }).getByText("(cancelled)").waitFor();
  });

  it("reruns the selected ones, each with its input, and says which failed", async () => {
    const { workspaceId: wId } = server().demo;
    await createFunction("repeated", 0);
    await createFunction("archived", 0);
    const inputs = [{ nth: 1 }, { nth: 2 }];
    const ids = [await invoke("repeated", inputs[0]), await invoke("repeated", inputs[1])];
    const refused = await invoke("archived");
    await calls.rpc().sandboxFunctions.archive.mutate({ wId, functionId: "archived" });
    const page = await opened().enter("/runs");
    for (const id of ids) {
      await page.getByRole("checkbox", { name: `Select repeated ${id}` }).check();
    }
    await page.getByRole("checkbox", { name: `Select archived ${refused}` }).check();
    await page.getByRole("button", { name: "Rerun (3)" }).click();
    await page.getByText("2 runs started, 1 failed").first().waitFor();
    const failure = page.getByRole("alert").filter({ hasText: `archived ${refused}` });
    await failure.getByText("The workspace has no such function").waitFor();
    await expectAccessible(page);
    const { runs } = await calls.rpc().runs.list.query({ wId, functionId: "repeated" });
    const repeated = runs.filter(({ id }) => !ids.includes(id));
    const given = await Promise.all(
      repeated.map(
        async ({ id: runId }) => (await calls.rpc().runs.get.query({ wId, runId })).input,
      ),
    );
    expect(given).toHaveLength(2);
    expect(given).toEqual(expect.arrayContaining(inputs));
  });

  it("filters in the URL, pages, and leads from a turn to its conversation", async () => {
    const [agent] = server().demo.agents;
    const { conversation } = await calls.create("Hello", [agent!.sId]);
    for (let count = 0; count < 21; count++) await invoke("add");
    const page = await opened().enter("/runs");
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "First page" }).waitFor();
    await page.getByRole("combobox", { name: "Kind" }).selectOption("Turn");
    const rows = page.getByRole("group", { name: "Runs" }).getByRole("row");
    // The names of the columns, this turn, and the one that was cancelled before.
    await expect.poll(() => rows.count()).toBe(3);
    expect(new URL(page.url()).search).toBe("?kind=turn");
    await page.getByRole("combobox", { name: "Agent" }).selectOption(agent!.sId);
    await expect.poll(() => new URL(page.url()).searchParams.get("agent")).toBe(agent!.sId);
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await rows.getByRole("link").click();
    await page.waitForURL(`**/conversations/${conversation.sId}`);
    await page.goto(`${opened().url}/runs?function=add&status=cancelled`);
    await page.getByText("No runs found").waitFor();
    await expectAccessible(page);
  });

  it("is not for users", async () => {
    const page = await opened().enter("/runs", { key: server().demo.userKey });
    await page.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
    const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
    expect(await links.filter({ hasText: /Runs|Overview/ }).count()).toBe(0);
  });
});
