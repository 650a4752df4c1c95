import type { Implementations } from "../implementation.ts";
import {
  createTraceDestination,
  exportTraces,
  getTraceDestination,
  listTraceDestinations,
  removeTraceDestination,
  testTraceDestination,
  updateTraceDestination,
} from "./trace-destinations.ts";

/** The endpoints that are implemented here. */
export const traceDestinationImplementations = {
  "traceDestinations.create": createTraceDestination,
  "traceDestinations.export": exportTraces,
  "traceDestinations.get": getTraceDestination,
  "traceDestinations.list": listTraceDestinations,
  "traceDestinations.remove": removeTraceDestination,
  "traceDestinations.test": testTraceDestination,
  "traceDestinations.update": updateTraceDestination,
} satisfies Implementations;
