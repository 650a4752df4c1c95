import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { AgentForm } from "./agent-form.tsx";
import { type AgentInput, emptyDraft } from "./definition.ts";

const pairOf = (name: string) => ({ providerId: "openai", modelId: name });
const answers = {
  "models.list": () => ({
    models: ["one", "two", "three"].map((name) => ({ ...pairOf(name), isEnabled: true })),
  }),
  "skills.list": () => ({ skills: [] }),
  "tools.list": () => ({ tools: [] }),
  "dataSourceViews.list": () => ({
    dataSourceViews: [{ dataSourceId: "dts_1", name: "Handbook", description: null }],
    hasMore: false,
    lastValue: null,
  }),
  "sandboxFunctions.list": () => ({ sandboxFunctions: [], hasMore: false, lastValue: null }),
};

const showForm = async () => {
  const sent: AgentInput[] = [];
  const { user } = await show(
    <AgentForm
      initial={{ ...emptyDraft, name: "Clerk", model: "openai/one" }}
      submitLabel="Create"
      isBusy={false}
      isSaved={false}
      refusal={null}
      onSubmit={(input) => sent.push(input)}
    />,
    { answers },
  );
  await screen.findByRole("form", { name: "Agent" });
  const field = (number: number) =>
    screen.getByRole<HTMLSelectElement>("combobox", { name: `Fallback model ${number}` });
  const namesOf = (number: number) => [...field(number).options].map(({ text }) => text);
  const save = async () => {
    await user.click(screen.getByRole("button", { name: "Create" }));
    return sent.at(-1)?.fallbackModels;
  };
  const compaction = async () => {
    await save();
    return sent.at(-1)?.compaction;
  };
  return { user, field, namesOf, save, sent, compaction };
};

test("an agent has no fallback models unless some are chosen", async () => {
  const { save } = await showForm();
  expect(await save()).toEqual([]);
});

test("fallback models are sent in their order, each of them once and never the agent's own", async () => {
  const { user, field, namesOf, save } = await showForm();
  expect(namesOf(1)).toEqual(["None", "openai/two", "openai/three"]);
  await user.selectOptions(field(1), "openai/three");
  expect(namesOf(2)).toEqual(["None", "openai/two"]);
  await user.selectOptions(field(2), "openai/two");
  expect(await save()).toEqual([pairOf("three"), pairOf("two")]);
  await user.selectOptions(field(1), "None");
  expect(field(1).value).toBe("openai/two");
  expect(await save()).toEqual([pairOf("two")]);
});

test("a model that becomes the agent's own is no longer a fallback", async () => {
  const { user, field, save } = await showForm();
  await user.selectOptions(field(1), "openai/two");
  await user.selectOptions(screen.getByRole("combobox", { name: "Model" }), "openai/two");
  expect(field(1).value).toBe("");
  expect(await save()).toEqual([]);
});

const schemaField = () =>
  screen.getByRole<HTMLTextAreaElement>("textbox", { name: /Schema of the answers/ });
const strictBox = () => screen.queryByRole<HTMLInputElement>("checkbox", { name: /whole schema/ });

test("answers have the format of the schema that is given, strict if that is chosen", async () => {
  const { user, save, sent } = await showForm();
  await save();
  expect(sent.at(-1)).not.toHaveProperty("responseFormat");
  expect(strictBox()).toBeNull();
  const schema = { type: "object", properties: { city: { type: "string" } } };
  await user.click(schemaField());
  await user.paste(JSON.stringify(schema));
  await save();
  expect(sent.at(-1)?.responseFormat).toEqual({ type: "json_schema", schema, strict: false });
  await user.click(strictBox()!);
  await save();
  expect(sent.at(-1)?.responseFormat).toEqual({ type: "json_schema", schema, strict: true });
  await user.clear(schemaField());
  await save();
  expect(sent.at(-1)).not.toHaveProperty("responseFormat");
  expect(strictBox()).toBeNull();
});

test.each(["{", "[]", '"object"'])(
  "a schema that is %s is not sent, and the form says so",
  async (text) => {
    const { user, save, sent } = await showForm();
    await user.click(schemaField());
    await user.paste(text);
    await save();
    expect(sent).toEqual([]);
    expect(screen.getByRole("alert").textContent).toMatch(/schema/i);
  },
);

test("summaries of the oldest messages have the defaults until they are set", async () => {
  const { user, compaction } = await showForm();
  expect(await compaction()).toEqual({});
  const enabled = screen.getByRole("combobox", { name: "Summaries of the oldest messages" });
  const share = screen.getByRole("textbox", { name: /% of the context/ });
  const count = screen.getByRole("textbox", { name: "Newest messages that stay as they are" });
  await user.selectOptions(enabled, "On");
  await user.type(share, "30");
  await user.type(count, "6");
  expect(await compaction()).toEqual({ enabled: true, startsAtPercent: 30, keepsMessages: 6 });
  await user.clear(share);
  await user.selectOptions(enabled, "Model default");
  expect(await compaction()).toEqual({ keepsMessages: 6 });
});

test("an agent without summaries has no fields for them, and keeps what they held", async () => {
  const { user, compaction } = await showForm();
  await user.type(screen.getByRole("textbox", { name: /% of the context/ }), "30");
  const enabled = screen.getByRole("combobox", { name: "Summaries of the oldest messages" });
  await user.selectOptions(enabled, "Off");
  expect(screen.queryByRole("textbox", { name: /% of the context/ })).toBeNull();
  expect(await compaction()).toEqual({ enabled: false, startsAtPercent: 30 });
});

test("a share that is not a number is refused beside the form", async () => {
  const { user, compaction } = await showForm();
  await user.type(screen.getByRole("textbox", { name: /% of the context/ }), "half");
  expect(await compaction()).toBeUndefined();
  expect(screen.getByRole("alert").textContent).toContain("must be a number");
});

test("what an agent may look up is nothing by default, and sent as its fields say", async () => {
  const { user, save, sent } = await showForm();
  await save();
  expect(sent.at(-1)?.knowledge).toEqual({});
  await user.click(await screen.findByRole("checkbox", { name: "Handbook" }));
  await user.type(screen.getByRole("textbox", { name: "Tags to look up" }), "public, , shop");
  const folders = screen.getByRole("textbox", { name: "Folders to look up in" });
  await user.type(folders, "dts_1");
  await save();
  expect(sent).toHaveLength(1);
  await user.type(folders, "/shops/north");
  await save();
  expect(sent.at(-1)?.knowledge).toEqual({
    dataSourceIds: ["dts_1"],
    folders: [{ dataSourceId: "dts_1", folderId: "shops/north" }],
    tags: ["public", "shop"],
  });
});
