import { existsSync } from "node:fs";
import { createRpcClient } from "parley-client";
import { type Browser, chromium, type Page } from "playwright-core";
import { gzipSync } from "node:zlib";
import type { BenchmarkOptions } from "../options.ts";
import { type Demo, startParley } from "../parley-server.ts";
import type { Findings, Question, Target } from "../report.ts";
import { openClient } from "../scratch-database.ts";
import { seedConversations } from "../seed/seed-conversations.ts";
import { seedEndedInvocations } from "../seed/seed-invocations.ts";

const executablePath = "/usr/bin/chromium";
const SLOWDOWN = 4;
/** About 5,000 tokens of Markdown. */
const LONG_ANSWER = `${"Words of a long answer, with *some* of them `coded`. ".repeat(8)}\n\n- one\n- two\n\n\`\`\`ts\nconst answer: number = 42;\n\`\`\`\n\n`;
const PARAGRAPHS = 45;
const END = "The very end";
const RUNS = 100_000;
const CONVERSATIONS = 10_000;
/** Pages of runs, and of the invocations of a function, that are turned after the first. */
const TURNED_PAGES = 10;

interface Round {
  readonly codeKilobytes: number;
  readonly fontKilobytes: number;
  readonly interactiveMs: number;
  readonly longestTaskMs: number;
  readonly runsShownMs: number;
  readonly runsLongestTaskMs: number;
  readonly runsLongTasks: number;
}

/**
 * Measures the console in Chromium: its first page, on a slow processor, a long answer that comes at once,
 * and lists of many runs.
 */
export async function benchConsole(options: BenchmarkOptions): Promise<Findings> {
  const { postgres, resources, rounds, print } = options;
  if (!existsSync(executablePath)) throw new Error(`bench console needs ${executablePath}`);
  const database = await postgres.createDatabase(resources, "console");
  const { demo } = await startParley(resources, database);
  const agentId = await createAgent(demo);
  const client = await openClient(resources, database.url);
  await seedEndedInvocations(client, RUNS);
  await seedConversations(client, { conversations: CONVERSATIONS, messages: 2, tokens: 1 });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  resources.defer(() => browser.close());
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.push(await measureRound(browser, demo, agentId));
    print(`round ${round} of ${rounds}: measured\n`);
  }
  const figure = (name: string, read: (round: Round) => number, target: Target): Question => ({
    name,
    of: measured.map(read),
    target,
  });
  const questions = [
    figure("scripts and styles of the first page, compressed: KB", (one) => one.codeKilobytes, {
      atMost: 250,
    }),
    figure("fonts of the first page: KB", (one) => one.fontKilobytes, { atMost: 120 }),
    figure(
      `first click and word, processor ${SLOWDOWN} times slowed: ms`,
      (one) => one.interactiveMs,
      { atMost: 1500 },
    ),
    figure("longest task, an answer of 5,000 tokens at once: ms", (one) => one.longestTaskMs, {
      atMost: 200,
    }),
    figure(
      `rows of ${RUNS} runs, processor ${SLOWDOWN} times slowed: ms`,
      (one) => one.runsShownMs,
      { atMost: 1500 },
    ),
    figure(
      `longest task, ${2 * TURNED_PAGES} pages of ${RUNS} runs turned: ms`,
      (one) => one.runsLongestTaskMs,
      { atMost: 200 },
    ),
    figure("tasks over 50 ms meanwhile", (one) => one.runsLongTasks, { atMost: 20 }),
  ];
  return { questions };
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
  const codeKilobytes = await measureFiles(page, /\.(?:js|css)$/, (body) => gzipSync(body).length);
  const fontKilobytes = await measureFiles(page, /\.woff2$/, (body) => body.length);
  const interactiveMs = await measureInteractive(page);
  await page.goto(`${demo.url}/conversations/new?agent=${agentId}`);
  await page.getByRole("textbox", { name: "Message" }).fill("Go on");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(END).waitFor();
  const longestTaskMs = Math.max(0, ...(await longTasksOf(page)));
  const runs = await measureRuns(page, demo);
  return { codeKilobytes, fontKilobytes, interactiveMs, longestTaskMs, ...runs };
}

/** The files of the first page whose URL matches, each once, and the sum of their sizes in KB. */
async function measureFiles(
  page: Page,
  url: RegExp,
  sizeOf: (body: Buffer) => number,
): Promise<number> {
  const urls = new Set<string>();
  page.on("response", (response) => {
    if (url.test(response.url())) urls.add(response.url());
  });
  await page.reload();
  await page.getByRole("heading", { name: "Conversations" }).waitFor();
  await page.waitForLoadState("networkidle");
  page.removeAllListeners("response");
  let bytes = 0;
  // Chromium keeps no body of what came from its cache.
  for (const file of urls) bytes += sizeOf(await (await page.request.get(file)).body());
  return bytes / 1000;
}

/** How long a page takes from its request until a click on it has led to a field that takes a word. */
async function measureInteractive(page: Page): Promise<number> {
  return whileSlow(page, async () => {
    await page.reload({ waitUntil: "commit" });
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByRole("textbox", { name: "Message" }).fill("x");
  });
}

/** Opens the runs and the invocations of a function, scrolls through each page, and turns to the next. */
async function measureRuns(
  page: Page,
  { url }: Demo,
): Promise<Pick<Round, "runsShownMs" | "runsLongestTaskMs" | "runsLongTasks">> {
  const runsShownMs = await whileSlow(page, async () => {
    await page.goto(`${url}/runs`, { waitUntil: "commit" });
    await page.getByRole("row").nth(1).getByRole("link").first().waitFor();
  });
  const tasks: number[] = [];
  for (const path of ["/runs", "/functions/add?view=invocations"]) {
    await page.goto(url + path);
    for (let turned = 0; turned < TURNED_PAGES; turned++) {
      await page.getByRole("row").nth(1).waitFor();
      await page.mouse.wheel(0, 5000);
      const next = page.getByRole("link", { name: "Next page" });
      const href = (await next.getAttribute("href")) ?? "";
      await next.click();
      // The page before stays until the next one is read.
      await page.locator(`a[href="${href}"]`).waitFor({ state: "detached" });
    }
    tasks.push(...(await longTasksOf(page)));
  }
  return {
    runsShownMs,
    runsLongestTaskMs: Math.max(0, ...tasks),
    runsLongTasks: tasks.length,
  };
}

/** How long what a page does takes on a slow processor. */
async function whileSlow(page: Page, work: () => Promise<void>): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  const startedAt = performance.now();
  await work();
  const tookMs = performance.now() - startedAt;
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  return tookMs;
}

/** The times above 50 ms for which the page answered to nothing since it was opened. */
async function longTasksOf(page: Page): Promise<number[]> {
  return page.evaluate(
    async () =>
      new Promise<number[]>((resolve) => {
        new PerformanceObserver((list) =>
          resolve(list.getEntries().map(({ duration }) => duration)),
        ).observe({ type: "longtask", buffered: true });
        setTimeout(() => resolve([]), 200);
      }),
  );
}
