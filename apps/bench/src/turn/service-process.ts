import { startFakeService } from "@parley/agent/testing";
import { answerParent } from "../child-requests.ts";

/** Plays a service whose model answers with `tokens` words, one every `delayMs`. */
const handlers = {
  start: async ({ tokens, delayMs }: { tokens: number; delayMs: number }): Promise<string> => {
    const script = { steps: [{ text: "word ".repeat(tokens) }], tokenDelayMs: delayMs };
    const service = await startFakeService({ script, pieceSize: "word ".length });
    return `${service.url}/v1`;
  },
};
export type ServiceHandlers = typeof handlers;

answerParent(handlers);
