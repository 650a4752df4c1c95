import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";
import { dailyTasks } from "../console/daily-tasks.ts";
import { fillTasks } from "../console/fill-tasks.ts";
import { type Effort, Hand } from "../console/hand.ts";
import type { BenchmarkOptions } from "../options.ts";
import { startParley } from "../parley-server.ts";
import type { Findings } from "../report.ts";

const executablePath = "/usr/bin/chromium";

/** Measures what ten daily tasks take in the console: the clicks of a person, and how long they wait. */
export async function benchConsoleTasks(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, print } = options;
  if (!existsSync(executablePath)) throw new Error(`bench console-tasks needs ${executablePath}`);
  const database = await postgres.createDatabase(resources, "console_tasks");
  const { demo } = await startParley(resources, database, {
    settings: {
      PARLEY_PRIVATE_HOSTS: "127.0.0.1",
      PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    },
  });
  const given = await fillTasks(resources, demo);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  resources.defer(() => browser.close());
  const page = await signIn(
    await browser.newPage({ viewport: { width: 1440, height: 900 } }),
    demo,
  );
  const efforts = new Map<string, Effort>();
  for (const [name, task] of Object.entries(dailyTasks)) {
    // oxlint-disable-next-line no-await-in-loop -- as one person does them
    await page.goto(`${demo.url}/conversations`);
    // oxlint-disable-next-line no-await-in-loop -- as one person does them
    await page.getByRole("link", { name: "New conversation" }).waitFor();
    // oxlint-disable-next-line no-await-in-loop -- as one person does them
    efforts.set(name, await Hand.time(page, (hand) => task(hand, given)));
    print(`${efforts.size} of ${Object.keys(dailyTasks).length}: ${name}\n`);
  }
  const table = [...efforts].map(([task, { clicks, characters, waited, seconds }]) => ({
    task,
    clicks,
    "typed keys": characters,
    "page, s": waited,
    "in all, s": seconds,
  }));
  return { tables: [table], questions: [] };
}

async function signIn(page: Page, { url, adminKey }: { url: string; adminKey: string }) {
  page.setDefaultTimeout(30_000);
  await page.goto(`${url}/`);
  await page.getByLabel("Key", { exact: true }).fill(adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  return page;
}
