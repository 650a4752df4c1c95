import * as z from "zod";
import { optional, Reference, ShortText, text } from "../parsing/text.ts";
import { RequestedTimezone, Timezone } from "../parsing/timezones.ts";

const AgenticMessageData = z.object({
  type: z.enum(["run_agent", "agent_handover"]).describe("Origin of the message"),
  originMessageId: Reference.describe("Message it came from"),
});

const shape = {
  fullName: optional(ShortText).describe("Full name of the author"),
  email: optional(ShortText).describe(
    "E-mail address; a member's address makes that member the author",
  ),
  profilePictureUrl: optional(
    text(2048).refine((value) => URL.canParse(value), { error: "must be a URL" }),
  ).describe("URL of the author's picture"),
  selectedSpaceIds: optional(z.array(Reference).max(100)).describe(
    "Spaces selected for the message",
  ),
  agenticMessageData: optional(AgenticMessageData).describe("Set if an agent wrote the message"),
};

/** Where clients say that a message came from; responses always say `api`. */
const origin = optional(ShortText)
  .transform(() => undefined)
  .describe("Accepted but not stored: the origin of all messages is the API");

/** Servers that a message may name: the bound of those that a user may have. */
const MAX_CLIENT_SERVERS = 16;
/** Tags that a message may exclude. */
const MAX_EXCLUDED_TAGS = 100;

/** Who wrote a message, and where. */
export const Context = z.object({
  username: ShortText.describe("Name of the author").meta({ example: "ada" }),
  timezone: RequestedTimezone.describe("IANA time zone of the author"),
  ...shape,
  clientSideMCPServerIds: optional(z.array(Reference).max(MAX_CLIENT_SERVERS))
    .describe("Servers in the caller's own clients whose tools the agents may call")
    .meta({ example: ["cms_Wd7Kp2Xn4L"] }),
  excludedRetrievalTags: optional(z.array(ShortText).max(MAX_EXCLUDED_TAGS)).describe(
    "Tags of documents that the turn's searches leave out; stored with the message",
  ),
  origin,
});

/** The context of a content fragment: every member may be left out. */
export const FragmentContext = z.object({
  username: optional(ShortText).describe("Name of the author"),
  timezone: optional(RequestedTimezone).describe("IANA time zone of the author"),
  ...shape,
  origin,
});

/** The context in responses: username and timezone are always there, and the origin. */
export const MessageContext = z.object({
  username: z.string().describe("Name of the author").meta({ example: "ada" }),
  timezone: Timezone.describe("IANA time zone of the author"),
  fullName: z.string().optional().describe("Full name of the author"),
  email: z.string().optional().describe("E-mail address of the author"),
  profilePictureUrl: z.string().optional().describe("URL of the author's picture"),
  selectedSpaceIds: z.array(z.string()).optional().describe("Spaces selected for the message"),
  agenticMessageData: AgenticMessageData.optional().describe("Set if an agent wrote the message"),
  clientSideMCPServerIds: z
    .array(z.string())
    .optional()
    .describe("Servers in the author's clients whose tools the agents may call"),
  excludedRetrievalTags: z
    .array(z.string())
    .optional()
    .describe("Tags of documents that the turn's searches leave out"),
  origin: z
    .literal("api")
    .optional()
    .describe("Where the message came from")
    .meta({ example: "api" }),
});
export type MessageContext = z.infer<typeof MessageContext>;
