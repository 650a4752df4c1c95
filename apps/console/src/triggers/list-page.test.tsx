import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { triggerOf } from "../../testing/models.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { TriggerListPage } from "./list-page.tsx";

const listOf = (triggers: readonly object[]) => () => ({
  triggers,
  hasMore: false,
  lastValue: null,
});

const page = async (answers: Answers = {}) =>
  show(<TriggerListPage />, {
    href: "/triggers",
    answers: {
      "triggers.listAll": listOf([
        triggerOf(),
        triggerOf({ sId: "trg_2", name: "orders", failingSince: 1 }),
        triggerOf({ sId: "trg_3", name: "old", disabledFor: "key_revoked" }),
      ]),
      ...answers,
    },
  });

test.for([
  ["issues", /On.*GitHub.*Agent clerk/],
  ["orders", /Failing since Jan 1, 1970/],
  ["old", /Off the key that it acts for was revoked/],
] as const)("shows how %s is, in words", async ([name, state]) => {
  await page();
  expect((await rowOf(name)).textContent).toMatch(state);
});

test("creates a trigger with a mapping, and shows its URL once if that has the secret", async () => {
  const { user, calls } = await page({
    "triggers.listAll": listOf([]),
    "triggers.create": () => ({
      trigger: triggerOf({ source: { type: "url" } }),
      secret: "s3cret",
      url: "https://parley.example/hooks/trg_1/s3cret",
    }),
  });
  await screen.findByText("No triggers yet");
  await user.click(screen.getByRole("button", { name: "Create trigger" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Source" }), "Secret in the URL");
  await user.type(screen.getByRole("textbox", { name: "Name" }), "issues");
  await user.type(screen.getByRole("textbox", { name: /Agent or function/ }), "clerk");
  await user.selectOptions(screen.getByRole("combobox", { name: "Message" }), "JSONata");
  await user.type(screen.getByRole("textbox", { name: /Expression/ }), "body.title");
  await user.click(screen.getByRole("button", { name: "Create" }));
  const shown = await screen.findByRole("textbox", { name: "Secret" });
  expect((shown as HTMLInputElement).value).toBe("https://parley.example/hooks/trg_1/s3cret");
  expect(inputsOf(calls, "triggers.create")).toMatchObject([
    {
      name: "issues",
      source: { type: "url" },
      agent: { agentId: "clerk" },
      mapping: { type: "jsonata", message: "body.title" },
      keyExpression: null,
    },
  ]);
});
