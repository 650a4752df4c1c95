import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { Success } from "../params.ts";
import { OpenedSession, SignInCode } from "../workspaces/sessions.ts";
import { get } from "./defaults.ts";

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
    summary: "Open a session for a page of this server, whose cookie stands for the credential",
    subject: [],
    output: OpenedSession,
    auth: "self-or-code",
  },
  "session.get": {
    ...ofCaller,
    path: "/api/session",
    summary: "Say whose credential it is, and what it may do",
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
