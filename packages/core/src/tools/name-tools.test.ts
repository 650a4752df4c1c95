import { expect, it } from "vitest";
import { nameTools } from "./name-tools.ts";

it("gives no tool of a server the name of one of Parley's own", () => {
  const tools = [
    ["Skills", "load"],
    ["Results", "read"],
    ["Results", "read all"],
  ].map(([serverName = "", toolName = ""]) => ({ serverName, toolName }));
  expect(nameTools(tools)).toEqual(["skills__load_2", "results__read_2", "results__read_all"]);
});
