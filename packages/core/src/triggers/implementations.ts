import type { Implementations } from "../implementation.ts";
import { getPublicTrigger, listPublicTriggers } from "./public-triggers.ts";
import {
  getTriggerEvent,
  listTriggerEvents,
  replayTriggerEvents,
  testTrigger,
} from "./trigger-events.ts";
import {
  createTrigger,
  listTriggers,
  readTrigger,
  removeTrigger,
  rotateTriggerSecret,
  updateTrigger,
} from "./triggers.ts";

/** The endpoints that are implemented here. */
export const triggerImplementations = {
  "triggers.create": createTrigger,
  "triggers.get": getPublicTrigger,
  "triggers.getEvent": getTriggerEvent,
  "triggers.list": listPublicTriggers,
  "triggers.listAll": listTriggers,
  "triggers.listEvents": listTriggerEvents,
  "triggers.read": readTrigger,
  "triggers.remove": removeTrigger,
  "triggers.replay": replayTriggerEvents,
  "triggers.rotateSecret": rotateTriggerSecret,
  "triggers.test": testTrigger,
  "triggers.update": updateTrigger,
} satisfies Implementations;
