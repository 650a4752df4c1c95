import { cleanup, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { PaletteHost } from "./palette-host.tsx";
// It is loaded with the test: a busy machine takes seconds to load it on demand.
// oxlint-disable-next-line import/no-unassigned-import -- loaded for its effect on the module cache
import "./palette.tsx";

const pages = [
  { to: "/runs", name: "Runs" },
  { to: "/agents", name: "Agents" },
];
const answers: Answers = {
  "agents.list": () => ({ agentConfigurations: [{ sId: "clerk", name: "Clerk" }] }),
  "sandboxFunctions.list": () => ({
    sandboxFunctions: [{ sId: "sfn_1", slug: "add" }],
    hasMore: false,
    lastValue: null,
  }),
  "search.ids": ({ id }: { id: string }) => ({
    found:
      id === "Vn4tR9sWy1"
        ? [{ kind: "message", sId: id, name: "A refund", conversationId: "Kd82jXq0Pz" }]
        : [],
  }),
  "conversations.listAll": ({ title }: { title: string }) => ({
    conversations: title === "clerk" ? [{ sId: "con_2", title: "To the clerk" }] : [],
    hasMore: false,
    lastValue: null,
  }),
};

beforeEach(() => localStorage.clear());

const open = async () => {
  const shown = await show(<PaletteHost pages={pages} />, { href: "/overview", answers });
  await shown.user.keyboard("{Control>}k{/Control}");
  return { ...shown, field: await screen.findByRole("combobox", { name: "Search" }) };
};
const options = () => screen.queryAllByRole("option").map(({ textContent }) => textContent);
const selected = () => screen.getByRole("option", { selected: true }).textContent;

test("offers pages and actions at once, and keeps the focus in the field", async () => {
  const { user, field } = await open();
  expect(document.activeElement).toBe(field);
  expect(options().slice(0, 2)).toEqual(["RunsPage", "AgentsPage"]);
  expect(selected()).toBe("RunsPage");
  await user.keyboard("{ArrowDown}");
  expect(selected()).toBe("AgentsPage");
  expect(field.getAttribute("aria-activedescendant")).toBe(
    screen.getByRole("option", { selected: true }).id,
  );
  await user.keyboard("{ArrowDown}{End}{ArrowDown}");
  expect(selected()).toBe("RunsPage");
  expect(document.activeElement).toBe(field);
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("finds what has a name, what the server finds, and messages with the words", async () => {
  const { user, calls, href } = await open();
  await user.keyboard("clerk");
  await waitFor(() =>
    expect(options()).toEqual([
      "ClerkAgent",
      "To the clerkConversation",
      "Messages with “clerk”Search",
    ]),
  );
  expect(inputsOf(calls, "search.ids")).toEqual([{ wId: "wks_1", id: "clerk" }]);
  await user.keyboard("{ArrowUp}{Enter}");
  expect(href()).toBe("/search?q=clerk");
});

test("leads from a pasted id to its page, and remembers where", async () => {
  const { user, href } = await open();
  await user.paste("Vn4tR9sWy1");
  await user.click(await screen.findByRole("option", { name: /A refund/ }));
  expect(href()).toBe("/conversations/Kd82jXq0Pz");
  cleanup();
  const again = await open();
  expect(options()[0]).toBe("A refundMessage");
  await again.user.paste("skl_abc");
  await waitFor(() => expect(options()[0]).toBe("skl_abcSkill"));
});
