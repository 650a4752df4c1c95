import { Counter, Gauge, type Registry } from "prom-client";

/** Counts of an endpoint's streams: plain numbers, because they change with each event. */
export interface StreamCounts {
  open: number;
  opened: number;
  resumed: number;
  sent: number;
  fedFromLog: number;
}

type Transport = "sse" | "long-poll" | "rpc";
type Cause = "stalled" | "key_refused" | "log_unreadable";

/** Registers the metrics of streams, by endpoint and transport. */
export function createStreamMetrics(registry: Registry) {
  const registers = [registry];
  const labelNames = ["stream", "transport"] as const;
  const counts = new Map<
    string,
    { labels: { stream: string; transport: Transport } } & StreamCounts
  >();
  const count = (name: string, help: string, member: keyof StreamCounts) =>
    new Counter({
      name,
      help,
      labelNames,
      registers,
      collect() {
        this.reset();
        for (const one of counts.values()) this.inc(one.labels, one[member]);
      },
    });
  registry.registerMetric(
    new Gauge({
      name: "parley_streams_open",
      help: "Open event streams, by endpoint and transport",
      labelNames,
      registers: [],
      collect() {
        for (const one of counts.values()) this.set(one.labels, one.open);
      },
    }),
  );
  count("parley_streams_opened_total", "Event streams that were opened", "opened");
  count(
    "parley_stream_resumes_total",
    "Event streams that were opened after an event that their client had",
    "resumed",
  );
  count("parley_events_sent_total", "Events that were written to streams", "sent");
  count(
    "parley_stream_overruns_total",
    "Times a slow reader's buffer was full, so that it was fed from the log from then on",
    "fedFromLog",
  );
  const evictions = new Counter({
    name: "parley_stream_evictions_total",
    help:
      "Event streams that were disconnected: stalled (the reader read nothing for too long), " +
      "key_refused (its key is no longer valid, or can no longer see it), log_unreadable",
    labelNames: ["stream", "cause"],
    registers,
  });
  return {
    /** The counts of an endpoint's streams, to be added to. */
    of: (stream: string, transport: Transport): StreamCounts =>
      counts.getOrInsertComputed(`${stream} ${transport}`, () => ({
        labels: { stream, transport },
        open: 0,
        opened: 0,
        resumed: 0,
        sent: 0,
        fedFromLog: 0,
      })),
    /** Counts a stream that the server cut off. */
    evicted: (stream: string, cause: Cause): void => evictions.inc({ stream, cause }),
  };
}
