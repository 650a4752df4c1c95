import { expect, it } from "vitest";
import type { CalledServer } from "../tools/called-servers.ts";
import { toTurnTools } from "./turn-tools.ts";

const serverOf = (name: string, tools: readonly string[]): CalledServer => ({
  sid: `msv_${name}`,
  name,
  offered: tools.map((tool) => {
    return { name: tool, description: tool, inputSchema: { type: "object" } };
  }),
  functionOf: () => {
    throw new Error("No call is made");
  },
  stakeOf: () => "low",
  address: {},
  isPersonal: false,
  approvals: { toolId: 1 },
});

it("tools have the same order and names, in whichever order a server lists them", () => {
  const namesOf = (...tools: string[]) =>
    toTurnTools([serverOf("wiki", tools), serverOf("archive", ["read"])]).map(({ name }) => name);
  const names = ["wiki__find", "wiki__find_2", "wiki__list", "archive__read"];
  expect(namesOf("list", "find", "Find")).toEqual(names);
  expect(namesOf("Find", "list", "find")).toEqual(names);
});
