import type { ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Span, Trace } from "@parley/schema";
import { attributesOf, nameOf, type SpanNaming } from "./span-names.ts";

/** A span as OpenTelemetry's encoder reads it. */
export type EncodableSpan = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0][number];
type HrTime = EncodableSpan["startTime"];

/** The kinds and states of spans in OTLP's order, as OpenTelemetry's interface numbers them. */
/* oxlint-disable typescript/no-unsafe-enum-assignment -- their enums are in a package that nothing else here needs */
const INTERNAL = 0 as EncodableSpan["kind"];
const CLIENT = 2 as EncodableSpan["kind"];
const UNSET = 0 as EncodableSpan["status"]["code"];
const ERROR = 2 as EncodableSpan["status"]["code"];
/* oxlint-enable typescript/no-unsafe-enum-assignment */
const SAMPLED = 1;

/** What all spans of a request have. */
export interface SpanOrigin {
  readonly serviceName: string;
  readonly version: string;
  /** Public id of the workspace. */
  readonly workspaceId: string;
}

const toHrTime = (ms: number): HrTime => [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];

function resourceOf({ serviceName, version, workspaceId }: SpanOrigin): EncodableSpan["resource"] {
  const attributes = {
    "service.name": serviceName,
    "service.version": version,
    "parley.workspace.id": workspaceId,
  };
  const resource: EncodableSpan["resource"] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

/** Converts the spans of traces of a workspace. What has not ended yet has been left out before. */
export function toEncodable(
  traces: readonly Trace[],
  { origin, naming }: { readonly origin: SpanOrigin; readonly naming: SpanNaming },
): EncodableSpan[] {
  const shared = {
    // Spans are grouped by the object of their resource.
    resource: resourceOf(origin),
    instrumentationScope: { name: "parley", version: origin.version },
    links: [],
    events: [],
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
  return traces.flatMap((trace) =>
    trace.spans.map((span): EncodableSpan => {
      const contextOf = (spanId: string, isRemote: boolean) => {
        return { traceId: trace.traceId, spanId, traceFlags: SAMPLED, isRemote };
      };
      const own = contextOf(span.id, false);
      const parentId = span.parentId ?? trace.parentSpanId;
      const endedAt = span.endedAt ?? span.startedAt;
      return {
        ...shared,
        name: nameOf(span, naming),
        kind: span.kind === "step" ? CLIENT : INTERNAL,
        spanContext: () => own,
        ...(parentId !== null && {
          parentSpanContext: contextOf(parentId, span.parentId === null),
        }),
        startTime: toHrTime(span.startedAt),
        endTime: toHrTime(endedAt),
        duration: toHrTime(endedAt - span.startedAt),
        status: statusOf(span, naming),
        attributes: { ...attributesOf(span, trace.runId, naming) },
      };
    }),
  );
}

function statusOf(
  { status, error }: Span,
  { sendsContent }: Pick<SpanNaming, "sendsContent">,
): EncodableSpan["status"] {
  if (status !== "errored") return { code: UNSET };
  const message = error && (error.provider ?? error.message);
  return { code: ERROR, ...(sendsContent && message !== undefined && { message }) };
}

/** How a request is encoded, and how its answer is read. */
export interface SpanEncoder {
  readonly contentType: string;
  encode(spans: readonly EncodableSpan[]): Uint8Array;
  /** What an answer of 2xx says of spans that were refused for good; an answer that cannot be read says nothing. */
  readRefused(body: Uint8Array): { readonly spans: number; readonly message: string };
}

const contentTypes = { protobuf: "application/x-protobuf", json: "application/json" } as const;

/** Loads an encoder, which only what exports needs. */
export async function loadEncoder(encoding: keyof typeof contentTypes): Promise<SpanEncoder> {
  const { JsonTraceSerializer, ProtobufTraceSerializer } =
    await import("@opentelemetry/otlp-transformer");
  const serializer = encoding === "json" ? JsonTraceSerializer : ProtobufTraceSerializer;
  return {
    contentType: contentTypes[encoding],
    encode: (spans) => {
      const bytes = serializer.serializeRequest([...spans]);
      if (bytes === undefined) throw new Error("The spans could not be encoded");
      return bytes;
    },
    readRefused: (body) => {
      try {
        const { rejectedSpans = 0, errorMessage } =
          serializer.deserializeResponse(body).partialSuccess ?? {};
        // As a 64-bit number it may be text in JSON, whatever its type says.
        const sent: unknown = rejectedSpans;
        const spans = Number(sent);
        return { spans: Number.isSafeInteger(spans) ? spans : 0, message: errorMessage ?? "" };
      } catch {
        return { spans: 0, message: "" };
      }
    },
  };
}
