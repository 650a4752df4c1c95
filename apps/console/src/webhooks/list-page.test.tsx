import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { webhookOf } from "../../testing/models.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { WebhookListPage } from "./list-page.tsx";
import { WebhookBanner } from "./webhook-banner.tsx";

const listOf = (webhooks: readonly object[]) => () => ({
  webhooks,
  hasMore: false,
  lastValue: null,
});
const on = webhookOf({ sId: "whk_on", url: "https://on.example/" });
const failing = webhookOf({ sId: "whk_failing", url: "https://failing.example/", failingSince: 1 });
const disabledAt = Date.UTC(2026, 10, 28, 12);
const off = webhookOf({ url: "https://off.example/", disabledFor: "request", disabledAt });
const gone = webhookOf({ url: "https://gone.example/", disabledFor: "gone", disabledAt });

const choices: Answers = {
  "agents.list": () => ({ agentConfigurations: [{ sId: "clerk", name: "Clerk" }] }),
  "sandboxFunctions.list": () => ({
    sandboxFunctions: [{ sId: "sfn_1", slug: "add" }],
    hasMore: false,
    lastValue: null,
  }),
};

const page = async (answers: Answers = {}) =>
  show(<WebhookListPage />, {
    href: "/webhooks",
    answers: { "webhooks.list": listOf([on, failing, off, gone]), ...choices, ...answers },
  });

test.for([
  ["https://on.example", /The shop.*On.*message\.succeeded/],
  ["https://failing.example", /Failing since Jan 1, 1970/],
  ["https://off.example", /Off by an admin, Nov 28, 2026/],
  ["https://gone.example", /Off its server answered 410, which means that it is gone, Nov 28/],
] as const)("shows how %s is, in words", async ([name, state]) => {
  await page();
  const row = await rowOf(name);
  expect(row.textContent).toMatch(state);
  expect(within(row).getByRole("link", { name: `${name}/` })).toBeDefined();
});

test("creates a webhook for chosen events and agents, and shows its secret once", async () => {
  const { user, calls } = await page({
    "webhooks.list": listOf([]),
    "webhooks.create": () => ({ webhook: on, secret: "whsec_1" }),
  });
  await screen.findByText("No webhooks yet");
  await user.click(screen.getByRole("button", { name: "Create webhook" }));
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://on.example/");
  await user.click(screen.getByRole("checkbox", { name: /message\.failed/ }));
  await user.click(screen.getByRole("checkbox", { name: /question\.asked/ }));
  await user.click(await screen.findByRole("checkbox", { name: "Clerk" }));
  await user.type(screen.getByRole("textbox", { name: /Only these conv/ }), "one{Enter}two{Enter}");
  await user.click(screen.getByRole("checkbox", { name: "Keep the order of a conversation" }));
  await user.click(screen.getByRole("button", { name: "Create" }));
  const dialog = await screen.findByRole("dialog", { name: "Secret for https://on.example/" });
  const secret = within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Secret" });
  expect(secret.value).toBe("whsec_1");
  expect(inputsOf(calls, "webhooks.create")).toEqual([
    {
      wId: "wks_1",
      url: "https://on.example/",
      description: "",
      events: ["message.failed", "question.asked"],
      conversationIds: ["one", "two"],
      agentIds: ["clerk"],
      functionIds: null,
      sendsContent: false,
      isOrdered: true,
      includesTasks: false,
    },
  ]);
  await user.click(within(dialog).getByRole("button", { name: "Done" }));
  expect(document.body.innerHTML).not.toContain("whsec_1");
  await waitFor(() => expect(inputsOf(calls, "webhooks.list")).toHaveLength(2));
});

test("says why a webhook could not be created", async () => {
  const { user } = await page({ "webhooks.create": refuse("the workspace has 50 webhooks") });
  await rowOf("https://on.example");
  await user.click(screen.getByRole("button", { name: "Create webhook" }));
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://on.example/");
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect((await screen.findByRole("alert")).textContent).toContain("has 50 webhooks");
});

const banner = async (webhooks: readonly object[], role: "admin" | "builder" = "admin") =>
  show(<WebhookBanner />, { session: { role }, answers: { "webhooks.list": listOf(webhooks) } });

test.for([
  [
    [on, off, gone],
    "The webhook https://gone.example/ was switched off: its server answered 410, which means that it is gone. Show webhooks",
  ],
  [[gone, gone], "2 webhooks were switched off by the server. Show webhooks"],
] as const)("webhooks that the server has switched off are said to admins", async ([all, said]) => {
  await banner(all);
  expect((await screen.findByRole("status")).textContent).toBe(said);
});

test("nothing is said of webhooks that are on, or that an admin has switched off", async () => {
  const { calls } = await banner([on, failing, off]);
  await waitFor(() => expect(inputsOf(calls, "webhooks.list")).toHaveLength(1));
  expect(screen.queryByRole("status")).toBeNull();
});

test("builders do not read webhooks", async () => {
  const { calls } = await banner([gone], "builder");
  expect(inputsOf(calls, "webhooks.list")).toEqual([]);
});
