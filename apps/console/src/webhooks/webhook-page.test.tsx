import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { webhookOf } from "../../testing/models.ts";
import { rowOf, show } from "../../testing/show.tsx";
import type { Delivery } from "./states.ts";
import { WebhookPage } from "./webhook-page.tsx";

const deliveryOf = (sId: string, changed: Partial<Delivery> = {}): Delivery => ({
  sId,
  webhookId: "whk_1",
  event: "message.succeeded",
  status: "succeeded",
  data: { conversationId: "con_1" },
  createdAt: 0,
  nextAttemptAt: null,
  finishedAt: 1,
  attempts: [{ at: 1, durationMs: 120, status: 204, error: null }],
  responseBody: "",
  ...changed,
});
const refused = { at: 1, durationMs: 80, status: 500, error: "It answered 500" };
const unanswered = { at: 2, durationMs: 15_000, status: null, error: "It did not answer in time" };
const deliveries = [
  deliveryOf("whd_new", {
    status: "waiting",
    attempts: [refused],
    nextAttemptAt: 9,
    finishedAt: null,
  }),
  deliveryOf("whd_bad", {
    event: "message.failed",
    status: "failed",
    attempts: [refused, unanswered],
    responseBody: "<b>down</b>",
  }),
  deliveryOf("whd_good"),
];

const page = async (answers: Answers = {}, { query = "", webhook = webhookOf() } = {}) =>
  show(<WebhookPage />, {
    path: "/webhooks/$webhookId",
    href: `/webhooks/whk_1${query}`,
    answers: {
      "webhooks.get": () => ({ webhook }),
      "webhooks.listDeliveries": () => ({ deliveries, hasMore: false, lastValue: null }),
      ...answers,
    },
  });

const choose = async (user: UserEvent, item: string) => {
  await user.click(await screen.findByRole("button", { name: "Actions" }));
  await user.click(screen.getByRole("menuitem", { name: item }));
};

test("shows what a webhook is told of, and how", async () => {
  const webhook = webhookOf({ agentIds: ["clerk"], isOrdered: true });
  await page({}, { webhook });
  expect(await screen.findByRole("heading", { level: 1, name: webhook.url })).toBeDefined();
  const facts = screen.getAllByRole("definition").map(({ textContent }) => textContent);
  expect(facts.join("; ")).toMatch(
    /^On; The shop; message\.succeeded An agent has answered; clerk; ids only; as it happens in/,
  );
});

test("shows deliveries with their attempts, and what was answered as text", async () => {
  const { user } = await page();
  const good = await rowOf("message.succeeded whd_good");
  expect(good.textContent).toMatch(/Succeeded1204/);
  expect((await rowOf("message.succeeded whd_new")).textContent).toMatch(
    /Queuednext attempt Jan 1, 1970.*1500/,
  );
  const bad = await rowOf("message.failed whd_bad");
  expect(bad.textContent).toMatch(/Failed2It did not answer in time/);
  await user.click(within(bad).getByRole("button", { name: "Details whd_bad" }));
  const dialog = await screen.findByRole("dialog", { name: "message.failed" });
  expect(within(dialog).getByRole("region", { name: "Attempts" }).textContent).toMatch(
    /80 ms: It answered 500.*15\.0 s: It did not answer in time/,
  );
  expect(within(dialog).getByRole("group", { name: "Last answer" }).textContent).toBe(
    "<b>down</b>",
  );
});

test("deliveries of one status are in the URL", async () => {
  const { user, calls, href } = await page();
  await rowOf("message.failed");
  await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "failed");
  await waitFor(() => expect(href()).toBe("/webhooks/whk_1?status=failed"));
  await waitFor(() =>
    expect(inputsOf(calls, "webhooks.listDeliveries").at(-1)).toMatchObject({ status: "failed" }),
  );
});

test("sends again what has ended, one or all that failed, in as many requests as it takes", async () => {
  let left = 2;
  const { user, calls } = await page({
    "webhooks.redeliver": () => ({ queued: 1, hasMore: --left > 0 }),
  });
  const waiting = await rowOf("message.succeeded whd_new");
  expect(within(waiting).queryByRole("button", { name: /^Send again/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Send all failed again" }));
  expect(await screen.findByText("2 deliveries are sent again")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Send again whd_bad" }));
  expect(await screen.findByText("1 delivery is sent again")).toBeDefined();
  const named = { wId: "wks_1", webhookId: "whk_1" };
  expect(inputsOf(calls, "webhooks.redeliver")).toEqual([
    named,
    named,
    { ...named, deliveryIds: ["whd_bad"] },
  ]);
});

test("sends a sample of an event", async () => {
  const { user, calls } = await page({
    "webhooks.test": () => ({ queued: 1, hasMore: false }),
  });
  await user.click(await screen.findByRole("button", { name: "Send a sample" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Event" }), "approval.requested");
  await user.click(screen.getByRole("button", { name: "Send" }));
  expect(await screen.findByText("Sample queued")).toBeDefined();
  expect(inputsOf(calls, "webhooks.test")).toEqual([
    { wId: "wks_1", webhookId: "whk_1", event: "approval.requested" },
  ]);
  await waitFor(() => expect(inputsOf(calls, "webhooks.listDeliveries")).toHaveLength(2));
});

test("is switched off and on, and says why not", async () => {
  const { user, calls } = await page({
    "webhooks.update": refuse("It was changed in the meantime"),
  });
  await user.click(await screen.findByRole("button", { name: "Switch off" }));
  expect((await screen.findByRole("alert")).textContent).toContain(
    "It was changed in the meantime",
  );
  expect(inputsOf(calls, "webhooks.update")).toEqual([
    { wId: "wks_1", webhookId: "whk_1", version: 3, isEnabled: false },
  ]);
});

test("nothing is sent again while it is off", async () => {
  const webhook = webhookOf({ disabledFor: "failing", disabledAt: 1 });
  const update = () => ({ webhook: webhookOf() });
  const { user, calls } = await page({ "webhooks.update": update }, { webhook });
  await rowOf("message.failed whd_bad");
  expect(screen.queryByRole("button", { name: /^Send (all|again)/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Switch on" }));
  expect(await screen.findByText("Switched on")).toBeDefined();
  expect(inputsOf(calls, "webhooks.update")).toMatchObject([{ isEnabled: true }]);
});

test("is changed: a filter without a choice is none, and one that is not listed stays", async () => {
  const webhook = webhookOf({ agentIds: ["gone"], functionIds: ["sfn_1"] });
  const { user, calls } = await page(
    {
      "agents.list": () => ({ agentConfigurations: [{ sId: "clerk", name: "Clerk" }] }),
      "sandboxFunctions.list": () => ({
        sandboxFunctions: [{ sId: "sfn_1", slug: "add" }],
        hasMore: false,
        lastValue: null,
      }),
      "webhooks.update": () => ({ webhook }),
    },
    { webhook },
  );
  await choose(user, "Edit …");
  await screen.findByRole("checkbox", { name: "Clerk" });
  await user.click(screen.getByRole("checkbox", { name: "add" }));
  await user.click(screen.getByRole("checkbox", { name: "Send the event itself" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Webhook saved")).toBeDefined();
  expect(inputsOf(calls, "webhooks.update")).toEqual([
    {
      wId: "wks_1",
      webhookId: "whk_1",
      version: 3,
      url: webhook.url,
      description: "The shop",
      events: ["message.succeeded"],
      conversationIds: null,
      agentIds: ["gone"],
      functionIds: null,
      sendsContent: true,
      isOrdered: false,
      includesTasks: false,
    },
  ]);
});

test("gets a new secret, which is shown once", async () => {
  const { user, calls } = await page({
    "webhooks.rotateSecret": () => ({ webhook: webhookOf(), secret: "whsec_2" }),
  });
  await choose(user, "Rotate secret …");
  await user.click(screen.getByRole("button", { name: "Rotate" }));
  const dialog = await screen.findByRole("dialog", { name: "New secret" });
  const secret = within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Secret" });
  expect(secret.value).toBe("whsec_2");
  await user.click(within(dialog).getByRole("button", { name: "Done" }));
  expect(document.body.innerHTML).not.toContain("whsec_2");
  expect(inputsOf(calls, "webhooks.rotateSecret")).toMatchObject([{ overlapSeconds: 86_400 }]);
});

test("is removed once its URL is typed", async () => {
  const { user, calls, href } = await page({ "webhooks.remove": () => ({ success: true }) });
  await choose(user, "Remove …");
  const remove = screen.getByRole<HTMLButtonElement>("button", { name: "Remove webhook" });
  expect(remove.disabled).toBe(true);
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), webhookOf().url);
  await user.click(remove);
  await waitFor(() => expect(href()).toBe("/webhooks"));
  expect(inputsOf(calls, "webhooks.remove")).toEqual([
    { wId: "wks_1", webhookId: "whk_1", version: 3 },
  ]);
});
