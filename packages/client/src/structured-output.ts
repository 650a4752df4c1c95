import type { AgentMessage } from "@parley/schema";
import { ParleyError } from "./errors.ts";
import type { Input } from "./methods.ts";

/** A format for answers, as a message takes it. */
export type ResponseFormat = NonNullable<
  Input<"conversations.create">["message"]["responseFormat"]
>;

/** A schema that can tell its JSON Schema and check values: of Zod 4.2, or of another library of Standard Schema. */
export interface OutputSchema<Output = unknown> {
  readonly "~standard": {
    readonly types?: { readonly output: Output } | undefined;
    readonly validate: (value: unknown) => Validation<Output> | PromiseLike<Validation<Output>>;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type Validation<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

/**
 * The format of answers that match a schema. With `strict`, the model's own service must enforce all of it.
 *
 * @example
 * const City = z.strictObject({ city: z.string() });
 * const { conversation } = await parley.conversations.create({
 *   message: {
 *     content: "Where is the opera?",
 *     mentions: [{ configurationId: "helper" }],
 *     responseFormat: responseFormat(City),
 *   },
 *   blocking: true,
 * });
 * const [answer] = agentMessages(conversation);
 * if (answer?.status === "succeeded") console.log((await outputOf(answer, City)).city);
 */
export function responseFormat(
  schema: OutputSchema,
  { strict = false }: { readonly strict?: boolean } = {},
): ResponseFormat {
  const written = schema["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  return { type: "json_schema", schema: written, strict };
}

/**
 * The value of an answer in a format, as its schema reads it. Rejects with `ParleyError`, of type `answer_failed`, if the
 * answer has none (it failed, was cut off, or is not in a format), or another one.
 *
 * @example
 * const Opera = z.strictObject({ city: z.string() });
 * const answered = { sId: "Vn4tR9sWy1", status: "succeeded", structuredOutput: { city: "Oslo" } } as const;
 * console.log((await outputOf(answered, Opera)).city); // Oslo
 */
export async function outputOf<Output>(
  answer: Pick<AgentMessage, "sId" | "status" | "structuredOutput">,
  schema: OutputSchema<Output>,
): Promise<Output> {
  if (!("structuredOutput" in answer)) {
    const message = `The answer ${answer.sId} has no value in a format: its status is ${answer.status}`;
    throw new ParleyError("answer_failed", message);
  }
  const checked = await schema["~standard"].validate(answer.structuredOutput);
  if (checked.issues === undefined) return checked.value;
  const why = checked.issues.map(({ message }) => message).join("; ");
  throw new ParleyError("answer_failed", `The answer ${answer.sId} has another format: ${why}`);
}
