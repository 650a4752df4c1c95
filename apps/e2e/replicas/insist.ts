import { setTimeout as sleep } from "node:timers/promises";
import type { Replicas } from "./fleet.ts";
import type { Ledger } from "./ledger.ts";

/** A client gives up on a request only after this long: on a busy machine every start takes a while. */
const PATIENCE_MS = 180_000;
const ANSWER_WITHIN_MS = 15_000;

/** A request that makes something, once for its key. */
export interface KeyedRequest {
  /** The Idempotency-Key. */
  readonly key: string;
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Knows the replicas and tries one after the other, as a client with a list of addresses would. */
export interface FleetClient {
  readonly headers: Readonly<Record<string, string>>;
  nextUrl(): string;
  /** Sends a request until it is answered with a 2xx: its JSON. Otherwise the ledger says so. */
  insist(request: KeyedRequest): Promise<unknown>;
}

/** Makes a client that notes in the ledger what its requests come to. */
export function createFleetClient(fleet: Replicas, ledger: Ledger): FleetClient {
  const headers = { authorization: `Bearer ${fleet.demo.adminKey}` };
  let turn = 0;
  const nextUrl = (): string => {
    for (let tried = 0; tried < fleet.apis.length; tried++) {
      const replica = fleet.apis[turn++ % fleet.apis.length];
      if (replica !== undefined) return replica.url;
    }
    return "http://127.0.0.1:1";
  };
  const insist = async ({ key, path, body, headers: own }: KeyedRequest): Promise<unknown> => {
    const deadline = performance.now() + PATIENCE_MS;
    const json = JSON.stringify(body);
    const answers: string[] = [];
    for (let attempt = 0; performance.now() < deadline; attempt++) {
      ledger.totals.attempts++;
      if (attempt > 0) {
        ledger.totals.retries++;
        await sleep(50 + Math.random() * 200);
      }
      try {
        const response = await fetch(nextUrl() + path, {
          method: "POST",
          headers: {
            ...headers,
            ...own,
            "content-type": "application/json",
            "idempotency-key": key,
          },
          body: json,
          signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        });
        const text = await response.text();
        if (response.ok) {
          if (response.headers.has("idempotent-replayed")) ledger.totals.replayed++;
          return JSON.parse(text);
        }
        answers.push(`${response.status} ${text.slice(0, 200)}`);
        // A client does not repeat what was refused permanently.
        if (![409, 429, 503].includes(response.status)) break;
      } catch (error) {
        answers.push(String(error));
      }
    }
    ledger.failed.set(key, `${json.slice(-50)}: ${answers.slice(-10).join("; ")}`);
    return undefined;
  };
  return { headers, nextUrl, insist };
}
