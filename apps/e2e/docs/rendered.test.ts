import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { renderCommandPages } from "./reference/commands.ts";
import { renderEndpointPages } from "./reference/endpoints.ts";
import { renderEvents } from "./reference/events.ts";
import { renderSettingsPage } from "./reference/settings.ts";
import {
  renderEnvironment,
  renderErrors,
  renderFileTypes,
  renderWebhookEvents,
} from "./rendered.ts";
import { renderMetrics } from "./rendered-metrics.ts";
import { renderRooms } from "./rendered-rooms.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

// `npx -y pnpm@12.21.0 test apps/e2e/docs/rendered --update` writes the files.
test("docs/reference has what the tables of the code say, and no other page", async () => {
  const endpoints = renderEndpointPages();
  const pages = new Map([
    ...endpoints.pages,
    ...renderCommandPages(),
    ["events.md", renderEvents(endpoints)],
    ["errors.md", renderErrors()],
    ["settings.md", renderSettingsPage()],
  ]);
  for (const [file, text] of pages) {
    await expect(text).toMatchFileSnapshot(`${root}docs/reference/${file}`);
  }
  const files = globSync("**/*.md", { cwd: `${root}docs/reference` });
  expect(files.filter((file) => !pages.has(file))).toEqual([]);
});

test(".env.example holds every setting", async () => {
  await expect(renderEnvironment()).toMatchFileSnapshot(`${root}.env.example`);
});

test("docs/operations-metrics.md says what the registry of a process holds", async () => {
  await expect(await renderMetrics()).toMatchFileSnapshot(`${root}docs/operations-metrics.md`);
});

test.for([
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
