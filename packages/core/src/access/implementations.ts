import type { Implementations } from "../implementation.ts";
import { createSession, createSignInCode, endSession, getSession } from "./sessions.ts";

/** The endpoints that are implemented here. */
export const accessImplementations = {
  "session.create": createSession,
  "session.createCode": createSignInCode,
  "session.end": endSession,
  "session.get": getSession,
} satisfies Implementations;
