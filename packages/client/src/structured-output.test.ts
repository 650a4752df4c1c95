import { expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { outputOf, responseFormat } from "./structured-output.ts";

const City = z.strictObject({ city: z.string(), founded: z.int().transform(String) });

it("writes the schema of what a model writes, and reads its value with its type", async () => {
  expect(responseFormat(City, { strict: true })).toMatchObject({
    type: "json_schema",
    schema: {
      type: "object",
      properties: { city: { type: "string" }, founded: { type: "integer" } },
      required: ["city", "founded"],
      additionalProperties: false,
    },
    strict: true,
  });
  const structuredOutput: unknown = { city: "Oslo", founded: 1048 };
  const output = await outputOf({ sId: "a", status: "succeeded", structuredOutput }, City);
  expectTypeOf(output).toEqualTypeOf<{ city: string; founded: string }>();
  expect(output).toEqual({ city: "Oslo", founded: "1048" });
});

it("says why there is no value", async () => {
  const failed = { sId: "a", status: "failed" } as const;
  await expect(outputOf(failed, City)).rejects.toThrow("has no value in a format");
  const other = { sId: "a", status: "succeeded", structuredOutput: null } as const;
  await expect(outputOf(other, City)).rejects.toMatchObject({ type: "answer_failed" });
});
