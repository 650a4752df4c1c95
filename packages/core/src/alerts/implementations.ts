import type { Implementations } from "../implementation.ts";
import { createAlert, getAlert, listAlerts, removeAlert, updateAlert } from "./alerts.ts";
import { listIncidents } from "./incidents.ts";

/** The endpoints that are implemented here. */
export const alertImplementations = {
  "alerts.create": createAlert,
  "alerts.get": getAlert,
  "alerts.list": listAlerts,
  "alerts.listIncidents": listIncidents,
  "alerts.remove": removeAlert,
  "alerts.update": updateAlert,
} satisfies Implementations;
