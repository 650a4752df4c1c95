import * as z from "zod";
import { administer } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { flagFromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { Time } from "../parsing/times.ts";
import { OverlapSeconds, rotatedSecrets } from "./api-keys.ts";

/** A key of the server's operators, without its secret. */
export const OperatorKey = z.object({
  sId: z.string().describe("Id of the key").meta({ example: "key_Zr8Wm3Ck5B" }),
  name: z.string().describe("Name of the key").meta({ example: "Ada" }),
  createdAt: Milliseconds.describe("When the key was created"),
  expiresAt: Milliseconds.nullable().describe("When the key expires, if it does"),
  revokedAt: Milliseconds.nullable().describe("When the key was revoked, if it was"),
});
export type OperatorKey = z.infer<typeof OperatorKey>;

export const CreateOperatorKey = z.object({
  name: text(255, 1).describe("Name of the key").meta({ example: "Ada" }),
  expiresAt: optional(Time).describe("When the key expires; never by default"),
});
export type CreateOperatorKey = z.output<typeof CreateOperatorKey>;

export const CreatedOperatorKey = z.object({
  operatorKey: OperatorKey.describe("The new key"),
  secret: z.string().describe("The key itself; shown only once").meta({ example: "sk-…" }),
});
export type CreatedOperatorKey = z.infer<typeof CreatedOperatorKey>;

const identity = z.object({
  keyId: Reference.describe("Id of the key").meta({ example: "key_Zr8Wm3Ck5B" }),
});

const evenIfLast = optional(flagFromQuery)
  .transform((isGiven) => isGiven ?? false)
  .describe("Whether to do it even if it is the last usable operator key; false by default");

export const RotateOperatorKey = identity.extend({ overlapSeconds: OverlapSeconds, evenIfLast });
export type RotateOperatorKey = z.output<typeof RotateOperatorKey>;

export const RotatedOperatorKey = z.object({
  operatorKey: OperatorKey.describe("The key; only its secret has changed"),
  ...rotatedSecrets,
});
export type RotatedOperatorKey = z.infer<typeof RotatedOperatorKey>;

export const RevokeOperatorKey = identity.extend({ evenIfLast });
export type RevokeOperatorKey = z.output<typeof RevokeOperatorKey>;

export const ListOperatorKeys = z.object(
  pageQuery("Keys", { defaultLimit: 50, place: placeLike(/^\d{1,15}$/) }),
);
export type ListOperatorKeys = z.output<typeof ListOperatorKeys>;

export const OperatorKeyPage = z.object({
  operatorKeys: z.array(OperatorKey).describe("Keys, newest first, including revoked ones"),
  ...pageEnd,
});
export type OperatorKeyPage = z.infer<typeof OperatorKeyPage>;

const root = "/api/admin/operator-keys";

/** Operations on the keys of operators, which are the server's. */
export const operatorKeyEndpoints = {
  "operatorKeys.create": {
    ...administer({ role: "operator", method: "POST", path: root, input: CreateOperatorKey }),
    summary: "Create an operator key",
    subject: [],
    output: CreatedOperatorKey,
    errors: [],
  },
  "operatorKeys.list": {
    ...administer({ role: "operator", method: "GET", path: root, input: ListOperatorKeys }),
    summary: "List the operator keys, newest first",
    output: OperatorKeyPage,
    errors: [],
  },
  "operatorKeys.rotate": {
    ...administer({
      role: "operator",
      method: "POST",
      path: `${root}/{keyId}/rotate`,
      input: RotateOperatorKey,
    }),
    summary: "Give an operator key a new secret",
    subject: ["keyId"],
    output: RotatedOperatorKey,
    errors: ["api_key_not_found"],
  },
  "operatorKeys.revoke": {
    ...administer({
      role: "operator",
      method: "DELETE",
      path: `${root}/{keyId}`,
      input: RevokeOperatorKey,
    }),
    summary: "Revoke an operator key permanently",
    subject: ["keyId"],
    output: Success,
    errors: ["api_key_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
