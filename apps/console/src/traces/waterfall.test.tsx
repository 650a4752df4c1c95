import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import type { Span } from "./spans.ts";
import { AnswerTrace } from "./trace-view.tsx";
import { Waterfall } from "./waterfall.tsx";

const at = (ms: number) => 1_800_000_000_000 + ms;
const span = (changed: Partial<Span> & Pick<Span, "id" | "kind" | "name">): Span => ({
  parentId: null,
  startedAt: at(0),
  endedAt: at(1000),
  status: "succeeded",
  ...changed,
});
const counts = { cachedInputTokens: 80, cacheWriteTokens: 0, reasoningTokens: 10 };
const answer = span({ id: "a", kind: "answer", name: "Clerk", endedAt: at(900_000) });
const attempt = span({ id: "t", kind: "attempt", name: "Attempt 1", parentId: "a" });
const step = span({
  id: "s",
  kind: "step",
  name: "Step 1",
  parentId: "t",
  firstTokenMs: 500,
  model: { providerId: "openai", modelId: "gpt-5" },
  tokens: { inputTokens: 120, outputTokens: 40, ...counts },
  cost: { amount: "0.5", currency: "USD", unpricedCalls: 0 },
});
const call = span({
  id: "c",
  kind: "call",
  name: "pay",
  parentId: "s",
  startedAt: at(1000),
  endedAt: at(900_000),
  status: "errored",
  params: { text: '{"order":{"id":7},"note":"soon"}', isCut: false },
  output: { text: '[{"text":"no mon', isCut: true },
  error: { code: "provider_error", message: "It failed", provider: "quota exceeded" },
});
const wait = span({
  id: "w",
  kind: "wait",
  name: "Needs approval",
  parentId: "c",
  startedAt: at(1000),
  endedAt: null,
  status: "running",
});
const spans = [answer, attempt, step, call, wait];

const names = () =>
  screen.getAllByRole("row").map((row) => within(row).getAllByRole("gridcell")[0]!.textContent);
const row = (name: RegExp) => screen.getByRole("row", { name });
const waterfall = async () => show(<Waterfall label="Trace" spans={spans} now={at(900_000)} />);

test("says in words what the bars show", async () => {
  await waterfall();
  expect(names()).toEqual(["▾Clerk", "▾Attempt 1", "▾Step 1", "▾pay · failed", "Needs approval"]);
  expect(row(/Needs approval/).textContent).toContain("after 1.0 s");
  expect(row(/Needs approval/).textContent).toContain("14 min 59 s");
  expect(row(/pay/).getAttribute("aria-level")).toBe("4");
});

test("is used with the keyboard alone", async () => {
  const { user } = await waterfall();
  await user.tab();
  await user.tab();
  await user.tab();
  await user.tab();
  await user.tab();
  expect(document.activeElement).toBe(row(/Clerk/));
  await user.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement).toBe(row(/Step 1/));
  await user.keyboard("{ArrowLeft}");
  expect(row(/Step 1/).getAttribute("aria-expanded")).toBe("false");
  expect(screen.getAllByRole("row")).toHaveLength(3);
  await user.keyboard("{ArrowRight}{ArrowRight}");
  expect(document.activeElement).toBe(row(/pay/));
  await user.keyboard("{Enter}");
  expect(screen.getByRole("region", { name: "Details of pay" })).toBeDefined();
  await user.keyboard("{Enter}{Home}{ArrowLeft}");
  expect(screen.queryByRole("region", { name: /^Details/ })).toBeNull();
  expect(screen.getAllByRole("row")).toHaveLength(1);
});

test("zooms around the row that the keyboard is at, and shows all again", async () => {
  const { user } = await waterfall();
  const last = () => screen.getByText("Duration").previousElementSibling!.lastElementChild!;
  expect(last().textContent).toBe("15 min 0 s");
  row(/Clerk/).focus();
  await user.keyboard("+");
  expect(last().textContent).toBe("3 min 45 s");
  await user.keyboard("-");
  expect(last().textContent).toBe("15 min 0 s");
  await user.keyboard("{ArrowDown}{ArrowDown}z");
  expect(last().textContent).toBe("1.1 s");
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(last().textContent).toBe("15 min 0 s");
});

test("shows of a model call its tokens, its speed, its cost and its first token", async () => {
  const { user } = await waterfall();
  await user.click(row(/Step 1/));
  const detail = screen.getByRole("region", { name: "Details of Step 1" });
  const valueOf = (name: string) =>
    within(detail).getByText(name, { selector: "dt" }).nextElementSibling!.textContent;
  expect(valueOf("Model")).toBe("openai/gpt-5");
  expect(valueOf("First token")).toBe("500 ms");
  expect(valueOf("Tokens per second")).toBe("80");
  expect(valueOf("Cached input")).toBe("80");
  expect(valueOf("Cost")).toBe("$0.50");
  expect(row(/Step 1/).querySelector("line")).not.toBeNull();
});

test("shows of a call its parameters as a tree, a cut result as text, and the provider's words", async () => {
  const { user } = await waterfall();
  await user.click(row(/pay/));
  const tree = screen.getByRole("group", { name: "Parameters" });
  expect(within(tree).getByText("order:").closest("summary")!.textContent).toBe("order: {1}");
  expect(tree.textContent).toContain('note: "soon"');
  expect(screen.getByText("Result (only the beginning)")).toBeDefined();
  expect(screen.getByRole("group", { name: "Result" }).textContent).toBe('[{"text":"no mon');
  expect(screen.getByRole("note").textContent).toContain("The provider's message: quota exceeded");
});

test("reads a trace again while its spans go on, and says if spans are missing", async () => {
  let readings = 0;
  const trace = { traceId: "t", parentSpanId: null, runId: "m1", isCut: true };
  await show(<AnswerTrace conversationId="con_1" messageId="m1" />, {
    answers: {
      "messages.getTrace": () => {
        readings++;
        const open = { ...wait, parentId: "a" };
        const ended = { ...open, endedAt: at(900_000), status: "succeeded" };
        return { trace: { ...trace, spans: [answer, readings === 1 ? open : ended] } };
      },
    },
  });
  expect(await screen.findByText("Some spans are not shown.")).toBeDefined();
  expect(readings).toBe(1);
  await screen.findByRole("row", { name: /^Needs approval after .* 14 min/ }, { timeout: 3000 });
  expect(readings).toBe(2);
});
