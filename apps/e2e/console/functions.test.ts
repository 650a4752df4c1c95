import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("functions", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  async function createFunction(slug: string, behaviour: object, inputSchema: object = {}) {
    await calls.rpc().sandboxFunctions.create.mutate({
      wId: server().demo.workspaceId,
      slug,
      description: `What ${slug} does`,
      inputSchema: inputSchema as Record<string, unknown>,
      program: { type: "simulated", behaviour: behaviour as { steps: [] } },
    });
  }

  it("runs a function with a form generated from its schema, reruns it, and edits the input", async () => {
    const properties = {
      price: { type: "number", description: "Of one" },
      quantity: { type: "integer" },
      unit: { enum: ["piece", "box"] },
      tags: { type: "array", items: { type: "string" } },
    };
    await createFunction(
      "total",
      { steps: [], result: "{'total': price * quantity, 'unit': unit}" },
      { type: "object", required: ["price", "quantity"], properties },
    );
    const page = await opened().enter("/functions");
    await expectAccessible(page);
    await page.getByRole("link", { name: "total", exact: true }).click();
    await page.getByRole("textbox", { name: "price" }).fill("1.5");
    await page.getByRole("textbox", { name: "quantity" }).fill("4");
    await page.getByRole("combobox", { name: /^unit/ }).selectOption("box");
    await page.getByRole("button", { name: "Run" }).click();
    const result = page.getByRole("group", { name: "Result" });
    await result.getByText('"total": 6').waitFor();
    expect(await result.textContent()).toContain('"unit": "box"');
    await page.getByText("sandbox_function_invocation_result").waitFor();
    await expectAccessible(page);
    const first = page.url();
    // The server knows the input, whichever page began the run.
    await page.reload();
    await page.getByText("Input", { exact: true }).click();
    await page.getByRole("group", { name: "Input" }).getByText('"quantity": 4').waitFor();
    await page.getByRole("button", { name: "Rerun" }).click();
    await expect.poll(() => page.url()).not.toBe(first);
    await result.getByText('"total": 6').waitFor();
    await page.getByRole("link", { name: "Edit and rerun" }).click();
    await page.reload();
    await page.getByRole("textbox", { name: "quantity" }).waitFor();
    expect(await page.getByRole("textbox", { name: "quantity" }).inputValue()).toBe("4");
    await page.getByRole("button", { name: "Edit JSON" }).click();
    await page.getByRole("textbox", { name: "Input (JSON)" }).fill('{"price": 2, "quantity": 5}');
    await page.getByRole("button", { name: "Run" }).click();
    await result.getByText('"total": 10').waitFor();
  });

  it("shows progress and log while it runs, and cancels", async () => {
    const steps = [
      {
        at: 0,
        log: { stream: "stdout", text: "begun" },
        progress: { done: 1, total: 3, label: "The first third" },
      },
    ];
    await createFunction("lasting", { durationMs: 60_000, steps });
    const page = await opened().enter("/functions/lasting");
    await page.getByRole("button", { name: "Edit JSON" }).waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("group", { name: "Log" }).getByText("begun").waitFor();
    await page.getByRole("progressbar", { name: "The first third" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("region", { name: "Outcome" }).getByText("(cancelled)").waitFor();
    await page.getByRole("link", { name: "All invocations" }).click();
    const status = page.getByRole("combobox", { name: "Status" });
    await status.selectOption("Failed");
    await page.getByRole("group", { name: "Invocations" }).getByRole("link").first().waitFor();
    expect(page.url()).toContain("status=errored");
    await expectAccessible(page);
    await status.selectOption("Succeeded");
    await page.getByText("No invocations found").waitFor();
  });

  it("shows why a function failed, and its definition", async () => {
    const page = await opened().enter("/functions/always-fails");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("region", { name: "Outcome" }).getByRole("alert").waitFor();
    await expectAccessible(page);
    await goTo(page, "/functions/add?view=definition");
    await page.getByRole("group", { name: "Program" }).getByText("a + b").waitFor();
    await expectAccessible(page);
  });

  it("lets users run functions, without the parts for builders", async () => {
    const page = await opened().enter("/functions", { key: server().demo.userKey });
    await page.getByRole("link", { name: "add" }).click();
    await page.getByRole("textbox", { name: "Input (JSON)" }).fill('{"a": 1, "b": 2}');
    await page.getByRole("button", { name: "Run" }).click();
    await page.waitForURL("**/invocations/*");
    const first = page.url();
    await page.getByRole("button", { name: "Rerun" }).click();
    await expect.poll(() => page.url()).not.toBe(first);
    await page.getByRole("group", { name: "Result" }).waitFor();
    await goTo(page, "/functions/add");
    await page.getByRole("tab", { name: "Definition" }).click();
    await page.getByRole("group", { name: "Input schema" }).waitFor();
    expect(await page.getByRole("group", { name: "Program" }).count()).toBe(0);
    await goTo(page, "/functions/unknown");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});
