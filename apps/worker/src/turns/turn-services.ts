import type { ModelProvider } from "@parley/agent";
import type { FinishedTurn } from "@parley/core";
import type { MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
import type { Circuits } from "../models/circuits.ts";
import type { RunServices } from "../runs/run-kind.ts";
import type { FileServices } from "./attachments.ts";

/** What a worker's turns need. */
export interface TurnServices extends RunServices<MessageEvent, FinishedTurn>, FileServices {
  readonly logger: Logger;
  /** Model providers by their id. */
  readonly providers: Readonly<Record<string, ModelProvider>>;
  readonly circuits: Circuits;
}
