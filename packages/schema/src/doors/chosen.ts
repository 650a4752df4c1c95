import * as z from "zod";
import { optional } from "../parsing/text.ts";

/** Items of a list in a request. */
export const MAX_ITEMS = 1000;

/** A value whose schema follows from what it is, so that an error names the member that is wrong. */
export const chosen = <Value>(choose: (value: unknown) => z.ZodType<Value>) =>
  z.unknown().transform((value, context): Value => {
    const parsed = choose(value).safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues.slice(0, 5)) {
      // As a schema gives it, but for the input.
      context.issues.push({ ...issue, input: value } as z.core.$ZodRawIssue);
    }
    return z.NEVER;
  });

/** The same for a member that may be left out; null counts as absent. */
export const chosenOrNone = <Value>(choose: (value: unknown) => z.ZodType<Value>) =>
  chosen<Value | undefined>((value) =>
    value === null ? z.null().transform(() => undefined) : choose(value),
  ).optional();

/** A text, or a list of parts or items. */
export const textOr = <Part>(part: z.ZodType<Part>, least = 0) =>
  chosen<string | Part[]>(textOrParts(part, least));

/** The same for a member that may be left out. */
export const textOrNone = <Part>(part: z.ZodType<Part>) =>
  chosenOrNone<string | Part[]>(textOrParts(part, 0));

function textOrParts<Part>(part: z.ZodType<Part>, least: number) {
  const parts = z
    .array(part, { error: "must be a text or a list" })
    .min(least, { error: "must not be empty" })
    .max(MAX_ITEMS);
  const text = z.string().min(least, { error: "must not be empty" });
  return (value: unknown): z.ZodType<string | Part[]> => (typeof value === "string" ? text : parts);
}

/** A member that is taken only with the values that change nothing. */
export const only = (values: readonly unknown[], why: string) =>
  z
    .unknown()
    .refine((value) => value === undefined || value === null || values.includes(value), {
      error: why,
    })
    .optional()
    .describe(`Refused with another value: it ${why}`);

/** At most 16 pairs of text, as the OpenAI interfaces have them. */
export const MetadataPairs = optional(
  z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= 16, { error: "must have at most 16 pairs" }),
);

/** What a member says of which the server has no other. */
export const noOther = {
  top_p: only([1], "must be 1: agents have a temperature"),
  presence_penalty: only([0], "must be 0: it is not supported"),
  frequency_penalty: only([0], "must be 0: it is not supported"),
  top_logprobs: only([0], "must be 0: there are no probabilities of tokens"),
  service_tier: only(["auto", "default"], "must be auto or default"),
};

/** The sentence for a tool that the server would have to bring. */
export const HOSTED_TOOL =
  "is a hosted tool that this server does not have: give its agent a tool of the workspace";
