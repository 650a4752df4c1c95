import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  AdministeredTraceDestination,
  CreateTraceDestination,
  ExportTraces,
  TraceDestination,
  TraceDestinationIdentity,
  UpdateTraceDestination,
  VersionedTraceDestination,
} from "./trace-destinations.ts";

const ofDestination = {
  subject: ["traceDestinationId"],
  errors: ["workspace_not_found", "trace_destination_not_found"],
} as const;
const place = `${administered}/trace-destinations` as const;
const one = `${place}/{traceDestinationId}` as const;

/** Operations on the trace destinations of a workspace. */
export const traceDestinationEndpoints = {
  "traceDestinations.list": {
    ...administer({
      role: "admin",
      method: "GET",
      path: place,
      input: WorkspaceParams.extend(pageByNumber("Destinations")),
    }),
    summary: "List the trace destinations of the workspace",
    output: z.object({
      traceDestinations: z.array(TraceDestination).describe("Destinations, oldest first"),
      ...pageEnd,
    }),
  },
  "traceDestinations.create": {
    ...administer({ role: "admin", method: "POST", path: place, input: CreateTraceDestination }),
    summary: "Create a trace destination",
    subject: [],
    output: AdministeredTraceDestination,
  },
  "traceDestinations.get": {
    ...administer({ role: "admin", method: "GET", path: one, input: TraceDestinationIdentity }),
    summary: "Read a trace destination",
    output: AdministeredTraceDestination,
    errors: ofDestination.errors,
  },
  "traceDestinations.update": {
    ...administer({ role: "admin", method: "PATCH", path: one, input: UpdateTraceDestination }),
    ...ofDestination,
    errors: [...ofDestination.errors, "version_conflict"],
    storesLittle: true,
    summary: "Change a trace destination, or switch it on or off",
    output: AdministeredTraceDestination,
  },
  "traceDestinations.remove": {
    ...administer({ role: "admin", method: "DELETE", path: one, input: VersionedTraceDestination }),
    ...ofDestination,
    errors: [...ofDestination.errors, "version_conflict"],
    summary: "Remove a trace destination",
    output: Success,
  },
  "traceDestinations.test": {
    ...administer({
      role: "admin",
      method: "POST",
      path: `${one}/test`,
      input: TraceDestinationIdentity,
    }),
    ...ofDestination,
    storesLittle: true,
    summary: "Send a trace destination a sample",
    output: AdministeredTraceDestination,
  },
  "traceDestinations.export": {
    ...administer({ role: "admin", method: "POST", path: `${one}/export`, input: ExportTraces }),
    ...ofDestination,
    storesLittle: true,
    summary: "Send a trace destination the traces of a past period again",
    output: AdministeredTraceDestination,
  },
} as const satisfies Record<string, Endpoint>;
