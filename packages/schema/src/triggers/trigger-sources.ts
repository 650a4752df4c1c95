import * as z from "zod";
import { text } from "../parsing/text.ts";

/** The algorithms of an HMAC that a source may name. */
const HmacAlgorithm = z.enum(["sha1", "sha256", "sha512"]);

const HeaderName = text(128, 1).regex(/^[A-Za-z0-9-]+$/, {
  error: "must be the name of a header: letters, digits and hyphens",
});

const hmac = z.object({
  type: z.literal("hmac").describe("An HMAC of the body, in a header"),
  header: HeaderName.describe("Header that has the signature").meta({ example: "X-Signature" }),
  algorithm: HmacAlgorithm.default("sha256").describe("Its algorithm; sha256 by default"),
  encoding: z.enum(["hex", "base64"]).default("hex").describe("How it is written; hex by default"),
  prefix: text(64)
    .default("")
    .describe("What precedes it in the header; nothing by default")
    .meta({ example: "sha256=" }),
});

const known = [
  z.object({ type: z.literal("url").describe("A secret at the end of the URL") }),
  z.object({ type: z.literal("standard_webhooks").describe("Signatures of Standard Webhooks") }),
  z.object({ type: z.literal("github").describe("Signatures of GitHub") }),
  z.object({ type: z.literal("stripe").describe("Signatures of Stripe") }),
  z.object({ type: z.literal("slack").describe("Signatures of Slack") }),
] as const;

/** How a source proves that an event is its own. */
export const TriggerSource = z
  .discriminatedUnion("type", [...known, hmac])
  .meta({ example: { type: "github" } });
export type TriggerSource = z.output<typeof TriggerSource>;
export type SignedTriggerSource = Exclude<TriggerSource, { readonly type: "url" }>;

/** The same with every member, as it is stored. */
export const StoredTriggerSource = z
  .discriminatedUnion("type", [
    ...known,
    hmac.extend({
      algorithm: HmacAlgorithm.describe("Its algorithm"),
      encoding: hmac.shape.encoding.unwrap().describe("How it is written"),
      prefix: hmac.shape.prefix.unwrap().describe("What precedes it in the header"),
    }),
  ])
  .meta({ example: { type: "github" } });

/** What names an event of a source of each type, for people; null if the source has nothing that does. */
export const onceByOf: Readonly<Record<TriggerSource["type"], string | null>> = {
  url: null,
  standard_webhooks: "the header webhook-id",
  github: "the header X-GitHub-Delivery",
  stripe: "id in the body",
  slack: "event_id in the body",
  hmac: null,
};
