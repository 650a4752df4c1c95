import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, Refusal } from "../../testing/answer-calls.ts";
import { approvalOf, permission, questionOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { InboxPage } from "./inbox-page.tsx";

const LIST = "actions.listBlocked";
const MESSAGE = "/assistant/conversations/con_1/messages/msg_1";

const approval = approvalOf();
const question = { ...questionOf(), actionId: "act_2" };
const access = { ...permission, actionId: "act_3" };

/** Answers with the waiting calls, without decided ones. */
function waiting(
  all: readonly { readonly actionId: string; readonly [member: string]: unknown }[],
  hasMore = false,
): Answers {
  const decided = new Set<string>();
  const decide = ({ actionId }: { readonly actionId: string }) => {
    decided.add(actionId);
    return { success: true };
  };
  return {
    [LIST]: () => ({
      blockedActions: all.filter(({ actionId }) => !decided.has(actionId)),
      hasMore,
      lastValue: hasMore ? "act_9" : null,
    }),
    [`POST ${MESSAGE}/validate-action`]: decide,
    [`POST ${MESSAGE}/answer-question`]: decide,
  };
}

const page = async (answers: Answers, query = "") =>
  show(<InboxPage />, { href: `/approvals${query}`, answers });

const items = () =>
  within(screen.getByRole("list", { name: "Pending calls" })).queryAllByRole("listitem");

test("is loading until the waiting calls are known, and says what to do if there are none", async () => {
  const reading = Promise.withResolvers<unknown>();
  await page({ [LIST]: () => reading.promise });
  expect(screen.getByRole("status", { name: "Loading the pending calls" })).toBeDefined();
  reading.resolve({ blockedActions: [], hasMore: false, lastValue: null });
  expect(await screen.findByText("Nothing needs your attention")).toBeDefined();
  expect(screen.queryByRole("status", { name: /Loading/ })).toBeNull();
});

test("says that the inbox could not be loaded, and tries again", async () => {
  let isRefused = true;
  const read = () => {
    if (isRefused) throw new Refusal("Refused");
    return { blockedActions: [approval], hasMore: false, lastValue: null };
  };
  const { user } = await page({ [LIST]: read });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/Refused.*req_1/);
  isRefused = false;
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("1 pending")).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
});

test("shows the request that led to a call, who wrote it, and what the tool does", async () => {
  const request = { messageId: "msg_0", content: "Refund 1042", username: "ada", userName: "Shop" };
  await page(
    waiting([
      {
        ...approval,
        toolDescription: "Refunds an order",
        request: { ...request, isCut: true },
        earlierDecisions: [{ decision: "rejected", by: "Bob", at: 0 }],
      },
      { ...question, request: { ...request, userName: "ada", isCut: false } },
    ]),
  );
  await screen.findByText("2 pending");
  const [first, second] = items();
  expect(first?.textContent).toMatch(
    /Rejected earlier by Bob, Jan 1, 1970.*ada \(Shop\) asked.*Refund 1042 ….*Refunds an order/,
  );
  expect(second?.textContent).toMatch(/ada asked.*Refund 1042/);
  expect(second?.textContent).not.toContain("…");
});

test("removes a decided call, says so, and keeps the focus", async () => {
  const { user, calls } = await page(waiting([approval, question]));
  await screen.findByText("2 pending");
  await user.click(screen.getByRole("button", { name: "Approve" }));
  await screen.findByText("1 pending");
  expect(document.activeElement?.textContent).toMatch(/^1 pending/);
  expect(await screen.findByText("Decision sent")).toBeDefined();
  await user.click(screen.getByRole("radio", { name: /^Large/ }));
  await user.click(screen.getByRole("button", { name: "Answer" }));
  await screen.findByText("Nothing needs your attention");
  expect(calls.filter(({ to }) => to !== LIST)).toEqual([
    {
      to: `POST ${MESSAGE}/validate-action`,
      input: { actionId: "act_1", approved: "approved" },
    },
    {
      to: `POST ${MESSAGE}/answer-question`,
      input: { actionId: "act_2", answer: { selectedOptions: [1] } },
    },
  ]);
});

test("says why a decision came too late, at the call", async () => {
  const refuse = () => {
    throw new Refusal("The call no longer waits");
  };
  const refused = { ...waiting([approval]), [`POST ${MESSAGE}/validate-action`]: refuse };
  const { user } = await page(refused);
  await user.click(await screen.findByRole("button", { name: "Approve" }));
  const group = screen.getByRole("group", { name: "Approval of refund" });
  expect((await within(group).findByRole("alert")).textContent).toMatch(/no longer waits.*req_1/);
});

test("shows only the chosen kind, with the choice in the URL", async () => {
  const { user, href } = await page(waiting([approval, question, access]), "?show=access");
  await screen.findByText("3 pending");
  expect(items()).toHaveLength(1);
  expect(items()[0]?.textContent).toContain("shop can only be called for you");
  await user.selectOptions(screen.getByRole("combobox", { name: "Show" }), "Questions");
  await waitFor(() => expect(href()).toBe("/approvals?show=questions"));
  expect(items()[0]?.textContent).toContain("Which size?");
});

test("leads from a page without that kind to all of them", async () => {
  const { user, href } = await page(waiting([approval]), "?show=questions");
  expect(await screen.findByText(/None of this kind/)).toBeDefined();
  expect(items()).toEqual([]);
  await user.click(screen.getByRole("link", { name: "Show all" }));
  await waitFor(() => expect(items()).toHaveLength(1));
  expect(href()).toBe("/approvals");
});

test("leads to the conversation of a call, and to the next page and the first", async () => {
  const { user, href } = await page(waiting([approval], true), "?after=act_0");
  await screen.findByText("1 pending on this page, more on the next");
  const link = screen.getByRole("link", { name: "Conversation with Clerk" });
  expect(link.getAttribute("href")).toBe("/conversations/con_1");
  await user.click(screen.getByRole("link", { name: "Next page" }));
  await waitFor(() => expect(href()).toBe("/approvals?after=act_9"));
  await user.click(screen.getByRole("link", { name: "First page" }));
  await waitFor(() => expect(href()).toBe("/approvals"));
  expect(screen.queryByRole("link", { name: "First page" })).toBeNull();
});
