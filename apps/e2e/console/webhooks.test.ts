import { Webhook } from "standardwebhooks";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { headersOf } from "../webhooks/listen.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("webhooks", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("are created, tried, looked at, sent again and removed", async () => {
    let status = 200;
    const receiver = await startReceiver((response) =>
      response.writeHead(status).end("<b>What the shop says</b>"),
    );
    onTestFinished(receiver.close);
    const page = await opened().enter("/webhooks");
    await page.getByText("No webhooks yet").waitFor();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await page.getByRole("textbox", { name: "URL" }).fill(receiver.url);
    await page.getByRole("checkbox", { name: /message\.succeeded/ }).check();
    await page.getByRole("checkbox", { name: "helper" }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);

    await page.getByRole("link", { name: receiver.url }).click();
    await page.getByRole("button", { name: "Send a sample" }).click();
    await page.getByRole("combobox", { name: "Event" }).selectOption("question.asked");
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const sample = page.getByRole("row").filter({ hasText: "question.asked" });
    await sample.filter({ hasText: "succeeded" }).waitFor();
    const [received] = await receiver.until(1);
    new Webhook(secret).verify(received!.body, headersOf(received!));

    await sample.getByRole("button", { name: /^Details/ }).click();
    const details = page.getByRole("dialog");
    await details.getByText("<b>What the shop says</b>").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await sample.getByRole("button", { name: /^Send again/ }).click();
    const [, again] = await receiver.until(2);
    expect(again!.headers["webhook-id"]).toBe(received!.headers["webhook-id"]);

    status = 410;
    await calls.create("Hello", ["helper"], { blocking: true });
    await receiver.until(3);
    const banner = page.getByText(/^The webhook .* was switched off: its server answered 410/);
    await expect
      .poll(async () => {
        await page.reload();
        await page.getByRole("heading", { name: "Deliveries" }).waitFor();
        return banner.count();
      })
      .toBe(1);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("Switched on", { exact: true }).waitFor();
    await banner.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Actions" }).click();
    await page.getByRole("menuitem", { name: "Remove …" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill(receiver.url);
    await page.getByRole("button", { name: "Remove webhook" }).click();
    await page.getByText("No webhooks yet").waitFor();
  });
});
