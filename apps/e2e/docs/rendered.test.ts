import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import {
  renderAccess,
  renderEnvironment,
  renderErrors,
  renderFileTypes,
  renderSettings,
  renderWebhookEvents,
} from "./rendered.ts";
import { renderMetrics } from "./rendered-metrics.ts";
import { renderRooms } from "./rendered-rooms.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

// `npx -y pnpm@12.21.0 test apps/e2e/docs/rendered --update` writes the files.
test("docs/access.md says what the endpoint table says", async () => {
  await expect(renderAccess()).toMatchFileSnapshot(`${root}docs/access.md`);
});

test("docs/guide/errors.md says what the error table says", async () => {
  await expect(renderErrors()).toMatchFileSnapshot(`${root}docs/guide/errors.md`);
});

test(".env.example holds every setting", async () => {
  await expect(renderEnvironment()).toMatchFileSnapshot(`${root}.env.example`);
});

test("docs/operations-metrics.md says what the registry of a process holds", async () => {
  await expect(await renderMetrics()).toMatchFileSnapshot(`${root}docs/operations-metrics.md`);
});

test.for([
  ["docs/operations.md", "settings", renderSettings],
  ["docs/architecture.md", "rooms", renderRooms],
  ["docs/guide/files.md", "file types", renderFileTypes],
  ["docs/guide/webhooks.md", "webhook-events", renderWebhookEvents],
] as const)("%s has the %s as they are", async ([file, name, render]) => {
  const page = `${root}${file}`;
  const text = readFileSync(page, "utf8");
  const between = new RegExp(`(<!-- ${name} -->\n)[^]*(<!-- /${name} -->)`);
  expect(text).toMatch(between);
  const expected = text.replace(between, (_, open, close) => `${open}${render()}\n${close}`);
  await expect(expected).toMatchFileSnapshot(page);
});
