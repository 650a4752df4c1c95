import type { Implementations } from "../implementation.ts";
import { listFirings, runSchedule } from "./firings.ts";
import {
  createSchedule,
  getSchedule,
  listSchedules,
  previewSchedule,
  removeSchedule,
  updateSchedule,
} from "./schedules.ts";

/** The endpoints that are implemented here. */
export const scheduleImplementations = {
  "schedules.create": createSchedule,
  "schedules.get": getSchedule,
  "schedules.list": listSchedules,
  "schedules.listFirings": listFirings,
  "schedules.preview": previewSchedule,
  "schedules.remove": removeSchedule,
  "schedules.run": runSchedule,
  "schedules.update": updateSchedule,
} satisfies Implementations;
