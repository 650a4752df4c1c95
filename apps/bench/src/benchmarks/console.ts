import { existsSync } from "node:fs";
import { createRpcClient } from "parley-client";
import { type Browser, chromium, type Page } from "playwright-core";
import { gzipSync } from "node:zlib";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import { answerFigure, type ResultRow } from "../report.ts";
import { renderTable } from "../table.ts";
import { targets } from "../targets.ts";

const executablePath = "/usr/bin/chromium";
const SLOWDOWN = 4;
/** About 5,000 tokens of Markdown. */
const LONG_ANSWER = `${"Words of a long answer, with *some* of them `coded`. ".repeat(8)}\n\n- one\n- two\n\n\`\`\`ts\nconst answer: number = 42;\n\`\`\`\n\n`;
const PARAGRAPHS = 45;
const END = "The very end";

interface Round {
  readonly scriptKilobytes: number;
  readonly interactiveMs: number;
  readonly longestTaskMs: number;
}

/** Measures the console in Chromium: its first page, on a slow processor, and a long answer that comes at once. */
export async function benchConsole(options: BenchmarkOptions): Promise<ResultRow[]> {
  const { postgres, resources, rounds, print } = options;
  if (!existsSync(executablePath)) throw new Error(`bench console needs ${executablePath}`);
  const database = await postgres.createDatabase(resources, "console");
  const { demo } = await startParley(resources, database.url);
  const agentId = await createAgent(demo);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  resources.defer(() => browser.close());
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.push(await measureRound(browser, demo, agentId));
    print(`round ${round} of ${rounds}: measured\n`);
  }
  const figure = (name: string, read: (round: Round) => number, target: keyof typeof targets) =>
    answerFigure(name, measured.map(read), targets[target]);
  const results = [
    figure("script of the first page, compressed: KB", (one) => one.scriptKilobytes, "scriptKb"),
    figure(
      `first click and word, processor ${SLOWDOWN} times slowed: ms`,
      (one) => one.interactiveMs,
      "interactiveMs",
    ),
    figure(
      "longest task, an answer of 5,000 tokens at once: ms",
      (one) => one.longestTaskMs,
      "longestTaskMs",
    ),
  ];
  print(`\n${renderTable(results)}`);
  return results;
}

async function createAgent({ url, workspaceId: wId, adminKey: apiKey }: Demo): Promise<string> {
  const { agentConfiguration } = await createRpcClient({ url, apiKey }).agents.create.mutate({
    wId,
    name: "Long",
    description: "",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: `${LONG_ANSWER.repeat(PARAGRAPHS)}${END}` }], tokenDelayMs: 0 },
  });
  return agentConfiguration.sId;
}

async function measureRound(browser: Browser, demo: Demo, agentId: string): Promise<Round> {
  await using context = await browser.newContext({ viewport: { width: 1200, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${demo.url}/`);
  await page.getByLabel("Key", { exact: true }).fill(demo.adminKey);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  const scriptKilobytes = await measureScript(page);
  const interactiveMs = await measureInteractive(page);
  await page.goto(`${demo.url}/conversations/new?agent=${agentId}`);
  await page.getByRole("textbox", { name: "Message" }).fill("Go on");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(END).waitFor();
  return { scriptKilobytes, interactiveMs, longestTaskMs: await longestTaskOf(page) };
}

async function measureScript(page: Page): Promise<number> {
  const reading: Promise<number>[] = [];
  page.on("response", (response) => {
    if (!response.url().endsWith(".js")) return;
    reading.push(response.body().then((body) => gzipSync(body).length));
  });
  await page.reload();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  await page.waitForLoadState("networkidle");
  page.removeAllListeners("response");
  return (await Promise.all(reading)).reduce((sum, bytes) => sum + bytes, 0) / 1000;
}

/** How long a page takes from its request until a click on it has led to a field that takes a word. */
async function measureInteractive(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const startedAt = performance.now();
  await page.reload({ waitUntil: "commit" });
  await page.getByRole("link", { name: "New conversation" }).click();
  await page.getByRole("textbox", { name: "Message" }).fill("x");
  const tookMs = performance.now() - startedAt;
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  return tookMs;
}

/** The longest time for which the page answered to nothing, in milliseconds; 0 for none above 50. */
async function longestTaskOf(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const durations = await new Promise<number[]>((resolve) => {
      new PerformanceObserver((list) =>
        resolve(list.getEntries().map(({ duration }) => duration)),
      ).observe({ type: "longtask", buffered: true });
      setTimeout(() => resolve([]), 200);
    });
    return Math.max(0, ...durations);
  });
}
