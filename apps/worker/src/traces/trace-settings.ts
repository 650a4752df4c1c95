/** OpenTelemetry's settings of an exporter, by the names of its specification. */
import * as z from "zod";
import type { ServerTarget } from "./destination-targets.ts";

const endpoint = z.url({
  protocol: /^https?$/,
  error: "it must be a URL, such as http://collector:4318",
});

/** Pairs `name=value`, separated by commas; values are percent-encoded. */
const headers = z
  .string()
  .transform((value, { addIssue }) => {
    const pairs = value.split(",").filter((pair) => pair.trim() !== "");
    return Object.fromEntries(
      pairs.map((pair) => {
        const at = pair.indexOf("=");
        const name = pair.slice(0, at).trim();
        const text = decode(pair.slice(at + 1).trim());
        if (at < 1 || !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || !isHeaderValue(text)) {
          addIssue("it must be pairs of names and values, such as api-key=abc,tenant=7");
        }
        return [name, text ?? ""];
      }),
    );
  })
  .optional();

const isHeaderValue = (text: string | undefined): boolean =>
  text !== undefined && /^[\t\x20-\x7e]*$/.test(text);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const protocol = z.enum(["http/protobuf", "http/json"], {
  error: "it must be http/protobuf or http/json",
});

/** Settings of where the traces of all workspaces are sent, and of how spans read. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint
    .optional()
    .describe(
      "URL of a collector that traces of all workspaces are sent to, below the path /v1/traces, without content",
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint
    .optional()
    .describe("The whole URL that traces are sent to, instead of OTEL_EXPORTER_OTLP_ENDPOINT"),
  OTEL_EXPORTER_OTLP_HEADERS: headers.describe(
    "Headers of requests to the collector, such as api-key=abc; values are percent-encoded",
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol
    .default("http/protobuf")
    .describe("Encoding of requests to the collector: http/protobuf or http/json"),
  OTEL_SERVICE_NAME: z
    .string()
    .min(1)
    .max(255)
    .default("parley")
    .describe("Name of the service in traces, to all destinations"),
  OTEL_SEMCONV_STABILITY_OPT_IN: z
    .string()
    .default("")
    .describe(
      "gen_ai_latest_experimental: spans also have the names of OpenTelemetry's conventions for generative AI, which may change",
    ),
};

const TraceSettings = z.object(traceSettings);
type TraceSettings = z.output<typeof TraceSettings>;

/** Where the server's settings send traces; undefined if they name nothing. */
export function serverTarget(settings: TraceSettings): ServerTarget | undefined {
  const base = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const below = base && `${base.replace(/\/+$/, "")}/v1/traces`;
  const url = settings.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? below;
  if (url === undefined) return undefined;
  const isJson = settings.OTEL_EXPORTER_OTLP_PROTOCOL === "http/json";
  return {
    url,
    headers: settings.OTEL_EXPORTER_OTLP_HEADERS ?? {},
    encoding: isJson ? "json" : "protobuf",
  };
}

/** Whether spans follow the GenAI semantic conventions. */
export const followsGenAi = ({ OTEL_SEMCONV_STABILITY_OPT_IN: given }: TraceSettings): boolean =>
  given.split(",").some((value) => value.trim() === "gen_ai_latest_experimental");
