import { describe, expect, it } from "vitest";
import { createPlace, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { hasBrowser, openConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("a server that is killed and started again", () => {
  it("lets a page continue the answer that was being written, without a gap", async () => {
    await using place = await createPlace({ isEmbedded: false });
    const first = await startServer(place);
    const calls = createCalls(() => first);
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
    const agent = await calls.createAgent("Counting", {
      steps: [{ text: words }],
      tokenDelayMs: 10,
    });
    await using opened = await openConsole(first);
    const page = await opened.enter(`/conversations/new?agent=${agent}`);
    await page.getByRole("textbox", { name: "Message" }).fill("Count");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("article", { name: "Answer of Counting" });
    await answer.getByText("w20 ").waitFor();
    await first.kill();
    await page.getByText("The connection is broken: trying again").waitFor();
    await using second = await startServer(place, { PARLEY_PORT: new URL(first.url).port });
    await page.getByRole("button", { name: "Answer again" }).waitFor({ timeout: 90_000 });
    expect(await answer.getByRole("paragraph").last().textContent()).toBe(words);
    expect(second.url).toBe(first.url);
    expect(opened.faults).toEqual([]);
  });
});
