import type { ModelSelection } from "@parley/schema";
import { describe, expect, it } from "vitest";
import type { WorkspaceRow } from "../data-access/rows.ts";
import {
  defaultModels,
  requireKnownModel,
  requireModel,
  requireModels,
  supportedEffort,
} from "./models.ts";

const simulated = { providerId: "simulated", modelId: "simulated-1" };
const american = { providerId: "simulated", modelId: "simulated-us" };
const costly = { providerId: "openai", modelId: "gpt-5" };
const unknown = { providerId: "simulated", modelId: "simulated-2" };

/** Nothing else is read. */
const workspace = (parts: Partial<WorkspaceRow> = {}) =>
  ({
    models: [...defaultModels],
    region: "us",
    regionalModelsOnly: false,
    ...parts,
  }) as WorkspaceRow;
const select = (parts: Partial<ModelSelection>) => ({ ...simulated, ...parts }) as ModelSelection;

describe("a model", () => {
  it.each([
    { name: "that is enabled", pair: simulated, where: workspace() },
    {
      name: "of another region, where the region does not matter",
      pair: american,
      where: workspace({ region: "eu" }),
    },
    {
      name: "of the region, where only those count",
      pair: american,
      where: workspace({ regionalModelsOnly: true }),
    },
    {
      name: "of several regions, where only those of one count",
      pair: simulated,
      where: workspace({ region: "eu", regionalModelsOnly: true }),
    },
  ])("$name may be used", ({ pair, where }) => {
    expect(requireModel(where, pair)).toMatchObject(pair);
  });

  it.each([
    {
      name: "that nobody knows",
      pair: unknown,
      where: workspace(),
      why: "not a model of this server",
    },
    {
      name: "that nobody knows any more, although it is enabled",
      pair: unknown,
      where: workspace({ models: ["simulated/simulated-2"] }),
      why: "not a model of this server: see parley models list",
    },
    {
      name: "that is not enabled",
      pair: costly,
      where: workspace(),
      why: "not enabled in this workspace. An admin can enable it under Settings in the console, or with parley models enable openai/gpt-5",
    },
    {
      name: "that is not enabled and whose name is not a word of a command line",
      pair: { providerId: "openai_compatible", modelId: "a; rm b" },
      where: workspace(),
      why: "or with parley models enable <provider>/<model>",
    },
    {
      name: "under another provider's name",
      pair: { ...simulated, providerId: "noop" },
      where: workspace(),
      why: "not a model of this server",
    },
    {
      name: "outside the workspace's region",
      pair: american,
      where: workspace({ region: "eu", regionalModelsOnly: true }),
      why: "region, eu. An admin can allow others under Settings in the console",
    },
  ])("$name is refused with model_disabled, 400", ({ pair, where, why }) => {
    const disabled = { type: "model_disabled", status: 400, message: expect.stringContaining(why) };
    expect(() => requireModel(where, pair)).toThrow(expect.objectContaining(disabled));
  });

  it("is known or not, whatever a workspace enables", () => {
    expect(requireKnownModel(costly)).toMatchObject(costly);
    expect(() => requireKnownModel(unknown)).toThrow("not a model of this server");
  });
});

describe("the models of a message", () => {
  it("are its agents' own if none is selected, and all of them are checked", () => {
    expect(requireModels(workspace(), undefined, [simulated])).toBeNull();
    expect(requireModels(workspace(), undefined, [])).toBeNull();
    const agents = [simulated, costly];
    expect(() => requireModels(workspace(), undefined, agents)).toThrow("gpt-5 of openai");
  });

  it("are the selected one in place of the agents' own, which are not checked", () => {
    expect(requireModels(workspace(), select({}), [costly])).toMatchObject(simulated);
    const selected = () => requireModels(workspace(), costly as ModelSelection, [simulated]);
    expect(selected).toThrow("gpt-5 of openai");
  });

  it("are checked also if nobody is mentioned", () => {
    expect(() => requireModels(workspace(), select(unknown), [])).toThrow("simulated-2");
  });

  it.each([
    { effort: "light", by: simulated, kept: "light" },
    { effort: "none", by: simulated, kept: "none" },
    { effort: "light", by: costly, kept: "light" },
    { effort: "none", by: costly, kept: undefined },
    { effort: "high", by: american, kept: undefined },
    { effort: undefined, by: simulated, kept: undefined },
  ] as const)("keep the effort $effort of $by.modelId as $kept", ({ effort, by, kept }) => {
    const where = workspace({ models: [...defaultModels, "openai/gpt-5"] });
    const selection = select({ ...by, reasoningEffort: effort });
    expect(requireModels(where, selection, [])).toEqual({ ...by, reasoningEffort: kept });
    expect(supportedEffort(by, effort)).toBe(kept);
  });
});
