import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";
import { codeIn, writeCode } from "./write-code.ts";

describe.skipIf(!hasBrowser)("agents", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("creates an agent, tries it unsaved beside the old version, restores it, and archives it", async () => {
    const page = await opened().enter("/agents");
    await expectAccessible(page);
    await page.getByRole("link", { name: "New agent" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Clerk");
    await page.getByRole("textbox", { name: "Description" }).fill("Answers about orders");
    await writeCode(page, "Instructions", "# Tone\n\nAnswer briefly");
    const model = page.getByRole("combobox", { name: "Model", exact: true });
    await model.selectOption("simulated/simulated-1");
    const fallback = page.getByRole("combobox", { name: "Fallback model 1" });
    await fallback.selectOption("noop/noop");
    const script = page.getByRole("textbox", { name: /^Script/ });
    await script.fill('{"steps": []}');
    await page.getByRole("checkbox", { name: /^add/ }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("The agent was not saved").waitFor();
    expect(await page.getByRole("alert").textContent()).toContain("script.steps");
    await script.fill('{"steps": [{"text": "First: {{message}}"}]}');
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Clerk" }).waitFor();
    const beside = page.getByRole("region", { name: "Try it" });
    await beside.getByRole("textbox", { name: "Message" }).fill("One");
    await beside.getByRole("button", { name: "Run" }).click();
    await beside.getByText("First: One").waitFor();
    await script.fill('{"steps": [{"text": "Second: {{message}}"}]}');
    await beside.getByRole("combobox", { name: "Compare with" }).selectOption("0");
    await beside.getByRole("textbox", { name: "Message" }).fill("Two");
    await beside.getByRole("button", { name: "Run" }).click();
    await beside.getByRole("region", { name: "This form" }).getByText("Second: Two").waitFor();
    await beside.getByRole("region", { name: "Version 1" }).getByText("First: Two").waitFor();
    await beside
      .getByText(/^First text .* output tokens/)
      .nth(1)
      .waitFor();
    expect(page.url()).toMatch(/with=0$/);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved as version 2").first().waitFor();
    await page.getByRole("link", { name: "version 2" }).click();
    await page.getByRole("link", { name: "Version 1" }).click();
    await page.getByRole("button", { name: "Restore version 1" }).click();
    await page.getByText("Restored as version 3").first().waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Current agent" }).click();
    await page.getByRole("heading", { name: "Clerk" }).waitFor();
    expect(await codeIn(page, "Instructions")).toBe("# Tone\n\nAnswer briefly");
    expect(await fallback.inputValue()).toBe("noop/noop");
    await page.getByRole("button", { name: "Archive" }).click();
    await page.getByRole("button", { name: "Restore" }).waitFor();
    await expectAccessible(page);
  });

  it("refuses to overwrite a change by someone else", async () => {
    const agentId = await calls.createAgent("Shared", { steps: [{ text: "x" }], tokenDelayMs: 0 });
    const page = await opened().enter(`/agents/${agentId}`);
    await writeCode(page, "Instructions", "Mine");
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Functions" })
      .click();
    await page.getByRole("dialog", { name: "Leave without saving?" }).waitFor();
    await page.getByRole("button", { name: "Stay" }).click();
    const { workspaceId: wId } = server().demo;
    await calls.rpc().agents.update.mutate({ wId, agentId, instructions: "Theirs" });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The agent was not saved").waitFor();
    const stored = await calls.rpc().agents.getDefinition.query({ wId, agentId });
    expect(stored.agentConfiguration.instructions).toBe("Theirs");
  });

  it("lets users find agents and talk to them, but not change them", async () => {
    const page = await opened().enter("/agents", { key: server().demo.userKey });
    await page.getByRole("searchbox", { name: "Name" }).fill("help");
    await page.getByRole("link", { name: "slowpoke", exact: true }).waitFor({ state: "detached" });
    expect(page.url()).toContain("q=help");
    await page.getByRole("link", { name: "helper", exact: true }).click();
    await page.getByText("Answers at once").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Talk to agent" }).click();
    await page.getByRole("button", { name: "Agents: helper" }).waitFor();
    await goTo(page, "/agents/new");
    await page.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
  });
});
