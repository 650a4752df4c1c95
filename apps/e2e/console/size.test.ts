import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("size", () => {
  const server = shareServer();
  const opened = shareConsole(server);

  it("loads at most 250 KB of compressed script for the first page", async () => {
    const page = await opened().enterAnew("/conversations");
    const scripts = new Map<string, number>();
    page.on("response", (response) => {
      if (!response.url().endsWith(".js")) return;
      void response.body().then((body) => scripts.set(response.url(), gzipSync(body).length));
    });
    await page.reload();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    await page.waitForLoadState("networkidle");
    const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0);
    console.log(`The first page loads ${bytes} bytes of compressed script`);
    expect(scripts.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThan(250_000);
  });
});
