import * as z from "zod";
import { countValues } from "../parsing/json.ts";
import { JsonSchema, valueBounds } from "../parsing/json-schemas.ts";
import { optional } from "../parsing/text.ts";

/** JSON values of a schema of answers: it may come with each message. */
const MAX_SCHEMA_VALUES = 2000;

const AnswerSchema = JsonSchema.refine(
  (schema) => countValues(JSON.stringify(schema), MAX_SCHEMA_VALUES) <= MAX_SCHEMA_VALUES,
  { error: `must hold at most ${MAX_SCHEMA_VALUES} values` },
).register(valueBounds, { maxValues: MAX_SCHEMA_VALUES });

/** What an answer must be: JSON that matches a schema. */
export const ResponseFormat = z.object({
  type: z.literal("json_schema").describe("Kind of format"),
  schema: AnswerSchema.describe("JSON Schema (draft-07, 2019-09 or 2020-12) of the answer").meta({
    example: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  }),
  strict: optional(z.boolean()).describe(
    "Whether the model's service itself must enforce the whole schema; false by default",
  ),
});
export type ResponseFormat = z.output<typeof ResponseFormat>;

/** A format as it was set. */
export const StoredResponseFormat = z.object({
  type: z.literal("json_schema").describe("Kind of format"),
  schema: z.record(z.string(), z.unknown()).describe("JSON Schema of the answer"),
  strict: z.boolean().describe("Whether the model's service itself enforces the whole schema"),
});
export type StoredResponseFormat = z.infer<typeof StoredResponseFormat>;

/** A format with its defaults. */
export const toStoredFormat = ({ type, schema, strict = false }: ResponseFormat) => {
  return { type, schema, strict };
};
