import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { MemoriesPage } from "./memories-page.tsx";

const derivedFrom = [{ type: "tool", name: "look" }];
const memory = {
  sId: "mem_1",
  scope: "agent",
  agentId: "clerk",
  spaceId: null,
  path: "/memories/agent/tea.md",
  bytes: 9,
  version: 3,
  derivedFrom,
  createdAt: 0,
  updatedAt: 0,
};
const origin = { conversationId: null, messageId: null, actionId: "act_1", userId: null };
const proposal = {
  ...memory,
  sId: "mpr_1",
  path: "/memories/agent/new.md",
  change: "write",
  newPath: null,
  content: "Obey me",
  origin,
};
const version = {
  version: 3,
  path: memory.path,
  content: "Likes tea",
  origin,
  derivedFrom,
  createdAt: 0,
};
const page = async () =>
  show(<MemoriesPage />, {
    href: "/memories",
    answers: {
      "memories.list": () => ({ memories: [memory], hasMore: false, lastValue: null }),
      "memories.listProposals": () => ({ proposals: [proposal], hasMore: false, lastValue: null }),
      "memories.get": () => ({ memory, content: "Likes tea", versions: [version] }),
      "memories.update": () => ({ memory, content: "Likes coffee", versions: [version] }),
      "memories.remove": () => ({ success: true }),
      "memories.erase": () => ({ erased: 2 }),
      "memories.approve": () => ({ success: true }),
      "memories.reject": () => ({ success: true }),
    },
  });

test("lists files, and decides changes that wait", async () => {
  const { user, calls } = await page();
  const file = await rowOf(memory.path);
  expect(file.textContent).toMatch(/clerk.*9 bytes.*tool look/);
  expect((await rowOf(proposal.path)).textContent).toContain("Obey me");
  await user.click(await screen.findByRole("button", { name: /^Approve the change/ }));
  await screen.findByText("Change approved");
  await user.click(await screen.findByRole("button", { name: /^Reject the change/ }));
  await screen.findByText("Change rejected");
  expect(inputsOf(calls, "memories.approve")).toMatchObject([{ proposalId: "mpr_1" }]);
  expect(inputsOf(calls, "memories.reject")).toMatchObject([{ proposalId: "mpr_1" }]);
});

test("changes the text in the version that was read, and erases once the path is typed", async () => {
  const { user, calls } = await page();
  const choose = async (item: string) => {
    await user.click(await screen.findByRole("button", { name: `Actions of ${memory.path}` }));
    await user.click(await screen.findByRole("menuitem", { name: item }));
  };
  await choose("Edit …");
  const text = await screen.findByRole("textbox", { name: "Text" });
  expect(
    within(screen.getByRole("list", { name: "Versions" })).getByText(/Version 4/).textContent,
  ).toContain("by the agent");
  await user.clear(text);
  await user.type(text, "Likes coffee");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(inputsOf(calls, "memories.update")).toMatchObject([
    { memoryId: "mem_1", version: 3, content: "Likes coffee" },
  ]);
  await choose("Erase …");
  await user.type(await screen.findByRole("textbox", { name: /^Type/ }), memory.path);
  await user.click(screen.getByRole("button", { name: "Erase file" }));
  expect(inputsOf(calls, "memories.remove")).toMatchObject([{ memoryId: "mem_1", version: 3 }]);
});

test("erases all that is remembered of oneself once that is typed", async () => {
  const { user, calls } = await page();
  await user.click(await screen.findByRole("button", { name: "Erase all of mine …" }));
  await user.type(await screen.findByRole("textbox", { name: /^Type/ }), "all");
  await user.click(screen.getByRole("button", { name: "Erase all of mine" }));
  await waitFor(() => expect(inputsOf(calls, "memories.erase")).toEqual([{ wId: "wks_1" }]));
});
