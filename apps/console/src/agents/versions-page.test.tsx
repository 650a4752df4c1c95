import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { readVersions } from "./version-search.ts";
import { AgentVersionsPage } from "./versions-page.tsx";

const model = { providerId: "simulated", modelId: "simulated-1" };
const listed = (version: number, more: object = {}) => ({
  version,
  createdAt: 0,
  editor: { sId: "usr_1", name: "Ada" },
  isCurrent: false,
  name: "Clerk",
  ...model,
  changes: ["instructions"],
  ...more,
});
const definition = (instructions: string, more: object = {}) => ({
  agentConfiguration: {
    sId: "clerk",
    name: "Clerk",
    description: "Answers",
    instructions,
    pictureUrl: "",
    scope: "visible",
    maxStepsPerRun: 8,
    model: { ...model, temperature: 0.7 },
  },
  script: null,
  skillIds: [],
  functionIds: [],
  toolIds: [],
  asksUser: false,
  team: [],
  reasoningEffort: null,
  fallbackModels: [],
  compaction: {},
  knowledge: {},
  memory: {},
  responseFormat: null,
  tags: [],
  ...more,
});
const stored = [
  definition("Be brief"),
  definition("Be brief\nBe kind"),
  definition("Be brief\nBe kind", { asksUser: true }),
];

const page = async (query = "", more: Answers = {}) =>
  show(<AgentVersionsPage />, {
    path: "/agents/$agentId/versions",
    href: `/agents/clerk/versions${query}`,
    validateSearch: readVersions,
    answers: {
      "agents.listVersions": () => ({
        versions: [
          listed(2, { isCurrent: true, changes: ["asksUser"], editor: null }),
          listed(1),
          listed(0, { changes: null }),
        ],
        hasMore: false,
        lastValue: "0",
      }),
      "agents.getVersion": ({ agentVersion }: { agentVersion: number }) => stored[agentVersion],
      ...more,
    },
  });

test("lists versions with who changed what, and shows what differs in the newest", async () => {
  await page();
  expect((await rowOf("Version 3")).textContent).toMatch(
    /current.*Can ask the user questions.*An operator/,
  );
  expect((await rowOf("Version 2")).textContent).toMatch(/Instructions.*simulated-1.*Ada/);
  expect((await rowOf("Version 1")).textContent).toContain("First version");
  const changes = await screen.findByRole("group", {
    name: "Changes of Can ask the user questions",
  });
  expect(within(changes).getByText("yes").tagName).toBe("INS");
  expect(screen.queryByRole("button", { name: /^Restore/ })).toBeNull();
});

test("compares any two versions, a member at a time", async () => {
  const { user } = await page("?version=1");
  const lines = await screen.findByRole("group", { name: "Changes of Instructions" });
  expect(within(lines).getByText("Be kind").tagName).toBe("INS");
  expect(screen.getAllByRole("group", { name: /^Changes of/ })).toHaveLength(1);
  await user.selectOptions(screen.getByRole("combobox", { name: "Compare with" }), "none");
  expect((await screen.findByRole("group", { name: "Model" })).textContent).toContain(
    "simulated/simulated-1",
  );
});

test("restores an old version, based on the current one", async () => {
  const restored = { agentConfiguration: { version: 3 } };
  const { user, calls } = await page("?version=0", { "agents.restoreVersion": () => restored });
  await user.click(await screen.findByRole("button", { name: "Restore version 1" }));
  await screen.findByText("Restored as version 4");
  expect(inputsOf(calls, "agents.restoreVersion")).toEqual([
    { wId: "wks_1", agentId: "clerk", agentVersion: 0, version: 2 },
  ]);
});

test("a link opens a version, also the first", async () => {
  const { user, href } = await page();
  await user.click(await screen.findByRole("link", { name: "Version 1" }));
  await screen.findByRole("heading", { name: "Version 1" });
  expect(href()).toBe("/agents/clerk/versions?version=0");
});

test("says why a version was not restored", async () => {
  const refused = { "agents.restoreVersion": refuse("version: the agent has changed since") };
  const { user } = await page("?version=0", refused);
  await user.click(await screen.findByRole("button", { name: "Restore version 1" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("changed since"));
});
