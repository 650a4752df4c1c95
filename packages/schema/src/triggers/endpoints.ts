import * as z from "zod";
import { administer, administered, get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { ListPublicTriggers, PublicTrigger, PublicTriggerParams } from "./public-triggers.ts";
import {
  ListTriggerEvents,
  OneTriggerEvent,
  QueuedTriggerEvents,
  ReplayTriggerEvents,
  TestTrigger,
  TriggerEventIdentity,
  TriggerEventPage,
} from "./trigger-events.ts";
import {
  AdministeredTrigger,
  CreateTrigger,
  RotateTriggerSecret,
  Trigger,
  TriggerIdentity,
  TriggerWithSecret,
  UpdateTrigger,
  VersionedTrigger,
} from "./triggers.ts";

const ofTrigger = {
  subject: ["triggerId"],
  errors: ["workspace_not_found", "trigger_not_found"],
} as const;
const targetErrors = [
  "app_auth_error",
  "agent_not_found",
  "conversation_not_found",
  "api_key_not_found",
  "sandbox_function_not_found",
  "space_not_found",
] as const;
const place = `${administered}/triggers` as const;
const list = {
  ...get,
  path: "/api/v1/w/{wId}/triggers",
  params: WorkspaceParams,
  tags: ["triggers"],
  role: "admin",
  scope: null,
} as const;

/** Operations on the triggers of a workspace, and on what they have received. */
export const triggerEndpoints = {
  "triggers.list": {
    ...list,
    summary: "List what starts agents of the workspace",
    query: ListPublicTriggers,
    output: z.object({ triggers: z.array(PublicTrigger).describe("Triggers, oldest first") }),
  },
  "triggers.get": {
    ...list,
    path: `${list.path}/{tId}`,
    summary: "Read what starts an agent of the workspace",
    params: PublicTriggerParams,
    output: z.object({ trigger: PublicTrigger.describe("The trigger") }),
    errors: ["trigger_not_found"],
  },
  "triggers.listAll": {
    ...administer({
      role: "builder",
      method: "GET",
      path: place,
      input: WorkspaceParams.extend(pageByNumber("Triggers")),
    }),
    summary: "List the triggers that the caller may change",
    output: z.object({
      triggers: z.array(Trigger).describe("Triggers, oldest first"),
      ...pageEnd,
    }),
  },
  "triggers.create": {
    ...administer({ role: "builder", method: "POST", path: place, input: CreateTrigger }),
    summary: "Create a trigger, and show its secret",
    subject: [],
    output: TriggerWithSecret,
    errors: ["workspace_not_found", ...targetErrors],
  },
  "triggers.read": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{triggerId}`,
      input: TriggerIdentity,
    }),
    summary: "Read a trigger",
    output: AdministeredTrigger,
    errors: ofTrigger.errors,
  },
  "triggers.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${place}/{triggerId}`,
      input: UpdateTrigger,
    }),
    ...ofTrigger,
    errors: [...ofTrigger.errors, ...targetErrors, "version_conflict"],
    storesLittle: true,
    summary: "Change a trigger, or switch it on or off",
    output: AdministeredTrigger,
  },
  "triggers.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${place}/{triggerId}`,
      input: VersionedTrigger,
    }),
    ...ofTrigger,
    errors: [...ofTrigger.errors, "version_conflict"],
    summary: "Remove a trigger with its events",
    output: Success,
  },
  "triggers.rotateSecret": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{triggerId}/rotate-secret`,
      input: RotateTriggerSecret,
    }),
    ...ofTrigger,
    storesLittle: true,
    summary: "Give a trigger a new secret, beside which the old one is accepted for a while",
    output: TriggerWithSecret,
  },
  "triggers.test": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{triggerId}/test`,
      input: TestTrigger,
    }),
    ...ofTrigger,
    summary: "Try a trigger with a sample, which starts nothing",
    output: OneTriggerEvent,
  },
  "triggers.listEvents": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{triggerId}/events`,
      input: ListTriggerEvents,
    }),
    summary: "List what a trigger has received, newest first",
    output: TriggerEventPage,
    errors: ofTrigger.errors,
  },
  "triggers.getEvent": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{triggerId}/events/{eventId}`,
      input: TriggerEventIdentity,
    }),
    summary: "Read what a trigger has received, with its body and what was made of it",
    output: OneTriggerEvent,
    errors: [...ofTrigger.errors, "trigger_event_not_found"],
  },
  "triggers.replay": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{triggerId}/replay`,
      input: ReplayTriggerEvents,
    }),
    ...ofTrigger,
    storesLittle: true,
    summary: "Start again what events have started: some, or all that have failed",
    output: QueuedTriggerEvents,
  },
} as const satisfies Record<string, Endpoint>;
