import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { SearchPage } from "./search-page.tsx";

const message = {
  sId: "msg_1",
  type: "agent_message",
  status: "succeeded",
  createdAt: 1,
  agent: { sId: "clerk", name: "Clerk" },
  conversation: { sId: "con_1", title: "A refund" },
  excerpt: "The refund was sent as a refund.",
  highlights: [
    { start: 4, end: 10 },
    { start: 25, end: 31 },
  ],
};
const answersWith = (page: object): Answers => ({
  "agents.list": () => ({ agentConfigurations: [{ sId: "clerk", name: "Clerk" }] }),
  "search.messages": () => ({
    messages: [message],
    hasMore: false,
    lastValue: null,
    indexedUntil: Date.now(),
    isComplete: true,
    ...page,
  }),
});
const open = async (query: string, page = {}) =>
  show(<SearchPage />, { href: `/search${query}`, answers: answersWith(page) });

test("asks for nothing until there are words", async () => {
  const { user, calls, href } = await open("");
  await screen.findByText("Search the words of messages");
  await user.type(screen.getByRole("searchbox", { name: "Words" }), " refund {Enter}");
  await screen.findByRole("link", { name: "A refund" });
  expect(href()).toBe("/search?q=refund");
  expect(inputsOf(calls, "search.messages")).toMatchObject([{ wId: "wks_1", query: "refund" }]);
});

test("marks the words, and filters with what the URL has", async () => {
  const { user, calls, href } = await open("?q=refund&status=succeeded");
  const article = await screen.findByRole("article");
  expect([...article.querySelectorAll("mark")].map(({ textContent }) => textContent)).toEqual([
    "refund",
    "refund",
  ]);
  expect(article.textContent).toContain("The refund was sent as a refund.");
  await screen.findByRole("option", { name: "Clerk" });
  await user.selectOptions(screen.getByRole("combobox", { name: "Agent" }), "clerk");
  expect(href()).toBe("/search?q=refund&status=succeeded&agent=clerk");
  expect(inputsOf(calls, "search.messages").at(-1)).toMatchObject({
    agentId: "clerk",
    status: "succeeded",
  });
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(href()).toBe("/search?q=refund");
});

test("says what is not indexed yet", async () => {
  await open("?q=refund", { messages: [], indexedUntil: Date.now() - 120_000, isComplete: false });
  await screen.findByText("No matching messages");
  expect(screen.getByText(/Older messages are still being indexed/).textContent).toMatch(
    /Messages of the last 2 min \d+ s are not indexed yet/,
  );
});
