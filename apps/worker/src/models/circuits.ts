import { createHash } from "node:crypto";
import {
  BUDGET_EXCEEDED,
  type ModelProvider,
  type StepPart,
  type StepRequest,
} from "@parley/agent";
import { LRUCache } from "lru-cache";
import { Counter, Gauge, type Registry } from "prom-client";
import { isPublished } from "./published-part.ts";

/** Calls that fail one after the other until a circuit opens. */
const MAX_FAILURES = 5;
/** How long an open circuit is skipped before a call probes the service. */
const OPEN_MS = 30_000;
/** A probe that has not ended by then no longer keeps others from probing. */
const PROBE_MS = 300_000;
/** Circuits of a process; beyond them, those that were used least recently are forgotten. */
const MAX_CIRCUITS = 1000;

/** What the calls of a provider with one credential have met lately. */
interface Circuit {
  readonly providerId: string;
  /** Calls that have failed since one succeeded. */
  failures: number;
  /** When it may be probed; undefined while it is closed. */
  openUntil: number | undefined;
  /** Until when a probe keeps others from probing. */
  probeUntil: number;
}

/** A provider with a credential; without one, with the deployment's. */
interface CalledProvider {
  readonly providerId: string;
  readonly apiKey?: string | undefined;
}

/**
 * The circuits of a process: which providers are overloaded, down or silent, by credential. They only change
 * the order in which models are asked; no call is refused.
 */
export interface Circuits {
  /**
   * Whether to ask a provider before others. Of the calls after the time of an open circuit, the first one probes
   * the provider.
   */
  admits(called: CalledProvider): boolean;
  succeeded(called: CalledProvider): void;
  failed(called: CalledProvider): void;
  /** A call has ended without an outcome, so that another one may probe. */
  abandoned(called: CalledProvider): void;
  /** Counts a model that gave way to another: with the code of its failure, or `circuit_open`. */
  passedOver(called: CalledProvider, reason: string): void;
}

/** Creates the circuits of a process. They hold no credential, only hashes. */
export function createCircuits(registry: Registry, now = () => performance.now()): Circuits {
  const circuits = new LRUCache<string, Circuit>({ max: MAX_CIRCUITS });
  const trips = new Counter({
    name: "parley_model_circuit_trips_total",
    help: "How often a circuit opened: calls of a model provider failed one after the other",
    labelNames: ["gen_ai_provider_name"],
    registers: [registry],
  });
  const fallbacks = new Counter({
    name: "parley_model_fallbacks_total",
    help:
      "Models that gave way to the next one of their agent in a step. error_type: the code of the failure, or " +
      "circuit_open",
    labelNames: ["gen_ai_provider_name", "error_type"],
    registers: [registry],
  });
  const stateOf = ({ openUntil }: Circuit) => {
    if (openUntil === undefined) return "closed";
    return now() < openUntil ? "open" : "half_open";
  };
  registry.registerMetric(
    new Gauge({
      name: "parley_model_circuits",
      help:
        "Circuits of model providers, one for each credential in use. state: closed, open (other " +
        "models of an agent are asked first), half_open (the next call probes the provider)",
      labelNames: ["gen_ai_provider_name", "state"],
      registers: [],
      collect() {
        this.reset();
        for (const circuit of circuits.values()) {
          this.inc({ gen_ai_provider_name: circuit.providerId, state: stateOf(circuit) });
        }
      },
    }),
  );
  const find = ({ providerId, apiKey }: CalledProvider): Circuit => {
    const key = `${providerId} ${apiKey === undefined ? "deployment" : hash(apiKey)}`;
    const known = circuits.get(key);
    if (known !== undefined) return known;
    const created = { providerId, failures: 0, openUntil: undefined, probeUntil: 0 };
    circuits.set(key, created);
    return created;
  };
  return {
    admits: (called) => {
      const circuit = find(called);
      const state = stateOf(circuit);
      if (state === "closed") return true;
      if (state === "open" || now() < circuit.probeUntil) return false;
      circuit.probeUntil = now() + PROBE_MS;
      return true;
    },
    succeeded: (called) => {
      Object.assign(find(called), { failures: 0, openUntil: undefined, probeUntil: 0 });
    },
    failed: (called) => {
      const circuit = find(called);
      circuit.failures++;
      circuit.probeUntil = 0;
      // Calls that fail while it is open tell nothing new.
      if (circuit.failures < MAX_FAILURES || stateOf(circuit) === "open") return;
      if (circuit.openUntil === undefined) {
        trips.inc({ gen_ai_provider_name: circuit.providerId });
      }
      circuit.openUntil = now() + OPEN_MS;
    },
    abandoned: (called) => void (find(called).probeUntil = 0),
    passedOver: ({ providerId }, reason) => {
      fallbacks.inc({ gen_ai_provider_name: providerId, error_type: reason });
    },
  };
}

const hash = (secret: string) => createHash("sha256").update(secret).digest("base64url");

/** Wraps a provider, so that the outcomes of its calls are known to the circuits. */
export function watchProvider(
  provider: ModelProvider,
  providerId: string,
  circuits: Circuits,
): ModelProvider {
  async function* streamStep(request: StepRequest): AsyncGenerator<StepPart> {
    const called = { providerId, apiKey: request.apiKey };
    let isKnown = false;
    let isUnasked = false;
    const tell = (outcome: "succeeded" | "failed") => {
      if (!isKnown) circuits[outcome](called);
      isKnown = true;
    };
    try {
      for await (const part of provider.streamStep(request)) {
        // A service that refuses a call is up.
        // The service was not asked.
        if (part.type === "error" && part.code === BUDGET_EXCEEDED) isUnasked = true;
        else if (part.type === "error") tell(part.isOutage === true ? "failed" : "succeeded");
        else if (isPublished(part)) tell("succeeded");
        yield part;
      }
      if (!isUnasked) tell("succeeded");
    } finally {
      if (!isKnown) circuits.abandoned(called);
    }
  }
  return { ...provider, streamStep };
}
