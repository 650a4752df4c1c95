import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { Milliseconds } from "../parsing/text.ts";
import { Role, TokenScope } from "../roles.ts";

/** What stands for a credential in a browser, as the value of a cookie. */
export const SESSION_PATTERN = /^ss-[A-Za-z0-9]{40}$/;

/** What opens one session. */
export const SIGN_IN_CODE_PATTERN = /^sc-[A-Za-z0-9]{40}$/;

/** What a credential is, and where it may be used. */
export const Session = z.object({
  workspace: z
    .object({
      sId: z.string().describe("Id of the workspace").meta({ example: "DemoWork01" }),
      name: z.string().describe("Name of the workspace").meta({ example: "Demo" }),
    })
    .nullable()
    .describe("Workspace of the credential; null for an operator key"),
  role: Role.describe("Role of the credential"),
  scopes: z
    .array(TokenScope)
    .nullable()
    .describe("Scopes of a user's token; null for a key, which needs none"),
  keyName: z.string().describe("Name of the key").meta({ example: "demo admin" }),
  userName: z.string().nullable().describe("Name of the user of a token; null for a key"),
  expiresAt: Milliseconds.nullable().describe(
    "When the session or the credential ends, if it does",
  ),
});
export type Session = z.infer<typeof Session>;

export const OpenedSession = z.object({
  session: Session.describe("The session; its token is in the cookie only"),
});
export type OpenedSession = z.infer<typeof OpenedSession>;

export const SignInCode = z.object({
  code: z
    .string()
    .describe("Opens one session, as the credential of `session.create`")
    .meta({ example: "sc-…" }),
  url: z
    .string()
    .describe("Page that opens the session")
    .meta({ example: "http://127.0.0.1:3000/#code=sc-…" }),
  expiresAt: Milliseconds.describe("When the code expires"),
});
export type SignInCode = z.infer<typeof SignInCode>;

/** Every valid credential may call them: they are about itself. */
const ofCaller = {
  ...get,
  tags: ["session"],
  params: z.object({}),
  auth: "self",
  scope: null,
} as const;

/** Operations on the sessions with which pages in browsers act. */
export const sessionEndpoints = {
  "session.create": {
    ...ofCaller,
    method: "POST",
    rateLimit: "operate",
    path: "/api/session",
    summary: "Open a session for this server's pages, whose cookie stands for the credential",
    subject: [],
    output: OpenedSession,
    auth: "self-or-code",
  },
  "session.get": {
    ...ofCaller,
    path: "/api/session",
    summary: "Read the credential's owner, role and scopes",
    output: OpenedSession,
  },
  "session.end": {
    ...ofCaller,
    method: "DELETE",
    rateLimit: "operate",
    path: "/api/session",
    summary: "End the session of the cookie",
    subject: [],
    output: Success,
  },
  "session.createCode": {
    ...ofCaller,
    method: "POST",
    rateLimit: "operate",
    path: "/api/session/codes",
    summary: "Create a code that opens one session for the same credential",
    subject: [],
    output: SignInCode,
  },
} as const satisfies Record<string, Endpoint>;
