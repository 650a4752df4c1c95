import * as z from "zod";
import type { FromChild, GuestFailure } from "../child/messages.ts";

const failures: readonly GuestFailure[] = [
  "threw",
  "import_failed",
  "bad_return",
  "output_too_large",
  "log_too_large",
  "cpu_exceeded",
  "out_of_memory",
];

const Message: z.ZodType<FromChild> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ready") }),
  z.object({ type: z.literal("log"), stream: z.enum(["stdout", "stderr"]), text: z.string() }),
  // JSON has no NaN: it arrives as null.
  z.object({
    type: z.literal("progress"),
    fraction: z
      .number()
      .nullable()
      .transform((value) => value ?? 0),
    label: z.string(),
  }),
  z.object({ type: z.literal("dropped"), lines: z.int().min(0), reports: z.int().min(0) }),
  z.object({
    type: z.literal("fetch"),
    id: z.int(),
    request: z.object({
      url: z.string(),
      method: z.string(),
      headers: z.array(z.tuple([z.string(), z.string()])),
      redirect: z.enum(["follow", "manual"]),
      hasBody: z.boolean(),
    }),
  }),
  z.object({ type: z.literal("parked") }),
  z.object({ type: z.literal("due") }),
  z.object({ type: z.literal("returned") }),
  z.object({
    type: z.literal("failed"),
    code: z.enum(failures),
    message: z.string(),
    stack: z.string(),
    reason: z.string(),
  }),
]);

/** A message of a child as what it may be: the process could have been taken over. Throws for anything else. */
export const checkMessage = (message: unknown): FromChild => Message.parse(message);
