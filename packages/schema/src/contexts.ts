import * as z from "zod";
import timezones from "./timezones.json" with { type: "json" };
import { optional, Reference, ShortText, text } from "./text.ts";

/** The names that a time zone can have. */
export const timezoneNames: readonly string[] = timezones;

const known: ReadonlySet<string> = new Set(timezones);

/** One of the 592 names clients parse responses with; the runtime's own list differs, so it is not asked. */
export const Timezone = z
  .string()
  .refine((name) => known.has(name), { error: "must be an IANA time zone name" });

const AgenticMessageData = z.object({
  type: z.enum(["run_agent", "agent_handover"]).describe("How the message came about"),
  originMessageId: Reference.describe("Message it came from"),
});

const shape = {
  fullName: optional(ShortText).describe("Full name of the author"),
  email: optional(ShortText).describe("E-mail address; a member's makes the member the author"),
  profilePictureUrl: optional(
    text(2048).refine((value) => URL.canParse(value), { error: "must be a URL" }),
  ).describe("Address of the author's picture"),
  selectedSpaceIds: optional(z.array(Reference).max(100)).describe(
    "Spaces selected for the message",
  ),
  agenticMessageData: optional(AgenticMessageData).describe("Set where an agent wrote the message"),
};

/** Who wrote a message, and where. */
export const Context = z.object({
  username: ShortText.describe("Name of the author"),
  timezone: Timezone.describe("IANA time zone of the author"),
  ...shape,
});
export type Context = z.infer<typeof Context>;

/** The context of a content fragment: every member may be left out. */
export const FragmentContext = z.object({
  username: optional(ShortText).describe("Name of the author"),
  timezone: optional(Timezone).describe("IANA time zone of the author"),
  ...shape,
});
export type FragmentContext = z.infer<typeof FragmentContext>;

/** The context in responses: username and timezone are always there, and the origin. */
export const MessageContext = z.object({
  username: z.string().describe("Name of the author"),
  timezone: Timezone.describe("IANA time zone of the author"),
  fullName: z.string().optional().describe("Full name of the author"),
  email: z.string().optional().describe("E-mail address of the author"),
  profilePictureUrl: z.string().optional().describe("Address of the author's picture"),
  selectedSpaceIds: z.array(z.string()).optional().describe("Spaces selected for the message"),
  agenticMessageData: AgenticMessageData.optional().describe(
    "Set where an agent wrote the message",
  ),
  origin: z.literal("api").optional().describe("Where the message came from"),
});
export type MessageContext = z.infer<typeof MessageContext>;
