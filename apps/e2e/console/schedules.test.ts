import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("schedules", () => {
  const server = shareServer();
  const opened = shareConsole(server);

  it("are created with a preview, run, paused, changed and removed", async () => {
    const page = await opened().enter("/schedules");
    await page.getByText("No schedules yet").waitFor();
    await page.getByRole("button", { name: "Create schedule" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Report");
    await page.getByRole("combobox", { name: "Agent" }).selectOption("helper");
    await page.getByRole("textbox", { name: "Message" }).fill("Write the report");
    const cron = page.getByRole("textbox", { name: "Cron expression" });
    const next = page.getByRole("status", { name: "Next times" });
    await cron.fill("0 9 * *");
    await next.getByText("Cron expression: has 4 fields instead of five").waitFor();
    await cron.fill("0 9 * * MON-FRI");
    await page.getByRole("combobox", { name: "Time zone" }).fill("Asia/Tokyo");
    await next
      .getByText(/in Asia\/Tokyo/)
      .first()
      .waitFor();
    expect(await next.getByRole("listitem").count()).toBe(5);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();

    const row = page.getByRole("row").filter({ hasText: "Report" });
    await row.getByText("Active").waitFor();
    await expectAccessible(page);
    await row.getByRole("link", { name: "Report" }).click();
    await page.getByRole("heading", { level: 1, name: "Report" }).waitFor();
    await page.getByRole("button", { name: "Run now" }).click();
    const firing = page.getByRole("row").filter({ hasText: "by hand" });
    await firing.getByText("Started", { exact: true }).waitFor();
    await expectAccessible(page);

    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("main").getByText("Paused", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.getByRole("main").getByText("Active", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Edit …" }).click();
    await page.getByRole("combobox", { name: "When" }).selectOption("every");
    await page.getByRole("spinbutton", { name: "Every" }).fill("2");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("every 2 hours").waitFor();

    await firing.getByRole("link", { name: "Conversation" }).click();
    await page.getByText("Write the report").first().waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Remove …" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Report");
    await page.getByRole("button", { name: "Remove schedule" }).click();
    await page.getByText("No schedules yet").waitFor();
  });
});
