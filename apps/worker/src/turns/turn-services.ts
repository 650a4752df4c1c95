import type { FinishedTurn } from "@parley/core";
import type { MessageEvent } from "@parley/schema";
import type { MeterServices } from "../metering/turn-meter.ts";
import type { PromptServices } from "../prompts/turn-request.ts";
import type { RunServices } from "../runs/run-kind.ts";
import type { OwnCallMetrics } from "./own-call-metrics.ts";

/** What a worker's turns need. */
export interface TurnServices
  extends RunServices<MessageEvent, FinishedTurn>, PromptServices, MeterServices {
  readonly ownCalls: OwnCallMetrics;
}
