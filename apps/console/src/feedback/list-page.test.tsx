import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { agentOf } from "../../testing/models.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { FeedbackListPage } from "./list-page.tsx";

const given = {
  messageId: "msg_1",
  userId: 7,
  thumbDirection: "down",
  content: "Too long",
  createdAt: 0,
  agentConfigurationId: "clerk",
  agentConfigurationVersion: 2,
  conversationId: "con_1",
  user: { fullName: "Ada" },
};
const page = async (query = "", feedbacks: object[] = [given]) =>
  show(<FeedbackListPage />, {
    href: `/feedback${query}`,
    answers: {
      "agents.list": () => ({ agentConfigurations: [agentOf("clerk", { name: "Clerk" })] }),
      "feedbacks.list": () => ({ feedbacks, hasMore: false, lastValue: null }),
    },
  });

test("lists what people said of answers, with a link to the conversation", async () => {
  await page();
  const row = await rowOf("Bad");
  expect(row.textContent).toMatch(/Too long.*Clerk, version 3.*Ada/);
  const link = screen.getByRole("link", { name: "Bad answer: open the conversation" });
  expect(link.getAttribute("href")).toBe("/conversations/con_1");
});

test("is filtered by agent and rating, from the URL and into it", async () => {
  const { user, calls, href } = await page("?agent=clerk&thumb=up", []);
  await screen.findByText("No matching feedback");
  expect(inputsOf(calls, "feedbacks.list")).toMatchObject([
    { agentId: "clerk", thumbDirection: "up", order: "newest" },
  ]);
  await user.selectOptions(screen.getByRole("combobox", { name: "Agent" }), "");
  expect(href()).toBe("/feedback?thumb=up");
  await user.selectOptions(screen.getByRole("combobox", { name: "Rating" }), "");
  expect(await screen.findByText("No feedback yet")).toBeDefined();
});
