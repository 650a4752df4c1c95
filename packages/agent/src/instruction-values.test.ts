import { valueNames } from "@parley/schema";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeValues, renderInstructions } from "./instruction-values.ts";
import { buildPrompt } from "./prompt.ts";
import { textOf } from "./prompt-parts.ts";
import { simulatedProvider } from "./simulated.ts";
import { ask } from "../testing/called-service.ts";

const instructions = "Greet {{user.name}}; {{{{now}} is text. {{ now }}, {{user.name}}";
const values = { now: "Friday", "user.name": "Ada" };

describe("values in instructions", () => {
  it("are references in what the model gets, which explains them", () => {
    expect(renderInstructions(instructions).split("\n\n")).toEqual([
      'Greet <value name="user.name"/>; {{now}} is text. <value name="now"/>, <value name="user.name"/>',
      expect.stringContaining("<values>") as string,
    ]);
    expect(renderInstructions("Only {{{{escapes}}")).toBe("Only {{escapes}}");
  });

  it("are described once each, in one order, as far as they were kept", () => {
    expect(describeValues(instructions, values)).toBe(
      '<values>\n<value name="now">Friday</value>\n<value name="user.name">Ada</value>\n</values>',
    );
    expect(describeValues("{{user.email}}", { "user.email": "" })).toContain(">not known<");
    expect(describeValues("{{user.email}}", values)).toBeUndefined();
    expect(describeValues("{{{{now}}", values)).toBeUndefined();
  });

  it("are data: no value adds an element, or changes what the instructions are", () => {
    const hostile = fc.string({ unit: fc.constantFrom("<", ">", "/", "&", "values", "\n", "a") });
    const all = valueNames.map((name) => `{{${name}}}`).join(" ");
    fc.assert(
      fc.property(hostile, (value) => {
        const given = Object.fromEntries(valueNames.map((name) => [name, value]));
        const described = describeValues(all, given) ?? "";
        expect(described.match(/</g)).toHaveLength(2 + 2 * valueNames.length);
        const back = /<value name="now">([^<]*)<\/value>/.exec(described)?.[1];
        const unescaped = back?.replaceAll("&lt;", "<").replaceAll("&gt;", ">");
        expect(unescaped?.replaceAll("&amp;", "&")).toBe(value || "not known");
      }),
    );
  });

  const history = [
    { type: "user_message", content: "First", values: "<values>1</values>" },
    { type: "agent_message", content: "Yes" },
    { type: "user_message", content: "Second", values: "<values>2</values>" },
  ];

  it("stand beside the messages, and go with them where the prompt is too long", () => {
    const textsOf = (maxCharacters: number) =>
      buildPrompt({ instructions: "Be brief" }, history, maxCharacters).map(textOf);
    const newest = "<values>2</values>Second";
    expect(textsOf(1000)).toEqual(["Be brief", "<values>1</values>First", "Yes", newest]);
    // A prompt begins with a question.
    expect(textsOf(30)).toEqual(["Be brief", newest]);
    expect(textsOf(1)).toEqual(["Be brief", newest]);
  });

  it("are no part of what scripts of the simulated model repeat", async () => {
    const prompt = buildPrompt({ instructions: null }, history, 1000);
    const parts = await Array.fromAsync(simulatedProvider.streamStep(ask({ prompt })));
    expect(parts).toEqual([{ type: "text", text: "You said: Second" }]);
  });
});
