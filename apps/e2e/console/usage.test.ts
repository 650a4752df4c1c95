import { readFile } from "node:fs/promises";
import { runOn } from "@parley/db/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

/** Twenty days of calls of three agents, each day a little more, and of a model without a price on the last. */
const fill = (wId: string) => `
  insert into usage_entries (workspace_id, at, origin, log_id, attempt, call, step, conversation_id, agent_id,
    provider_id, model_id, input_tokens, output_tokens, amount, currency, is_estimated)
  select w.id, (extract(epoch from now()) * 1000)::bigint - day * 86400000, 'answer', 'filled', 1, day * 3 + agent, 0,
    1, (array['helper', 'faulty', 'gone'])[agent], 'openai', 'gpt-5', 1000 * (40 - day), 100 * agent,
    case when day > 0 then 10000000 * agent * (40 - day) end, 'USD', false
  from workspaces w, generate_series(0, 19) day, generate_series(1, 3) agent where w.sid = '${wId}'`;

describe.skipIf(!hasBrowser)("the usage", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  beforeAll(async () => {
    const { databaseUrl } = server().place;
    if (databaseUrl === undefined) throw new Error("The server has a database of its own");
    await runOn(databaseUrl, fill(server().demo.workspaceId));
  });

  it("is stacked by agent and day, in money or tokens, and saved as CSV", async () => {
    const page = await opened().enterAnew("/usage", { locale: "en-US", timezoneId: "UTC" });
    await page.getByRole("img", { name: "Cost by day. Highest day: $2.34" }).waitFor();
    const chart = page.getByRole("region", { name: "Cost by day" });
    expect(await chart.locator("[role=img] rect[y]").count()).toBe(19 * 3);
    await page.getByText("3 calls are of models without a price").waitFor();
    const changes = page.getByRole("group", { name: "What changed" });
    expect(await changes.getByRole("row").allTextContents()).toEqual([
      expect.stringMatching(/^Agent/),
      expect.stringMatching(/^gone.*new$/),
      expect.stringMatching(/^faulty.*new$/),
      expect.stringMatching(/^helper.*new$/),
    ]);
    await expectAccessible(page);
    await chart.getByText("Numbers").click();
    const numbers = chart.getByRole("group", { name: "Cost by day, as numbers" });
    await expect.poll(async () => numbers.getByRole("row").count()).toBe(31);
    const saving = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download CSV" }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^usage_[\d-]+_[\d-]+\.csv$/);
    const lines = (await readFile(await saved.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines).toHaveLength(1 + 20 * 3);
    await page.getByRole("combobox", { name: "Show" }).selectOption("Tokens");
    await page.getByRole("img", { name: /^Tokens by day/ }).waitFor();
    expect(new URL(page.url()).search).toBe("?show=tokens");
  });

  it("shows operators the whole server", async () => {
    const page = await opened().enter("/usage", { key: server().demo.operatorKey });
    await page.getByRole("heading", { name: "Server usage" }).waitFor();
    await page.getByRole("img", { name: /^Cost by day/ }).waitFor();
    await expectAccessible(page);
  });
});
