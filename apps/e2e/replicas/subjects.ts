import { createRpcClient } from "parley-client";
import type { Replicas } from "./fleet.ts";

/** How many words a slow answer has, each an event. */
const WORDS = 40;

/** What a slow agent says, word by word: that one is missing can be seen. */
export const slowWords = Array.from({ length: WORDS }, (_, index) => `word${index + 1}`).join(" ");
/** What the functions with steps print, line by line. */
export const printedSteps = [1, 2, 3, 4, 5].map((step) => `step ${step}`);

/** What the agent that answers at once says to a message. */
export function quickWords(message: string): string {
  return `You said: ${message}.`;
}

/** Agents and functions whose every word is known beforehand. */
export interface Subjects {
  readonly quickAgent: string;
  readonly slowAgent: string;
  /** Slugs: one ends where its worker dies, the other is run again. */
  readonly onceFunction: string;
  readonly againFunction: string;
}

/** Makes them in the demo workspace. */
export async function createSubjects({ demo, apis }: Replicas): Promise<Subjects> {
  const { workspaceId, operatorKey } = demo;
  const rpc = createRpcClient({ url: apis[0]?.url ?? "", apiKey: operatorKey });
  const createAgent = async (name: string, text: string, tokenDelayMs: number) => {
    const { agentConfiguration } = await rpc.agents.create.mutate({
      wId: workspaceId,
      name,
      description: name,
      model: { providerId: "simulated", modelId: "simulated-1" },
      script: { steps: [{ text }], tokenDelayMs },
    });
    return agentConfiguration.sId;
  };
  const createFunction = async (slug: string, retryable: boolean) => {
    const steps = printedSteps.map((text, index) => ({
      at: index / printedSteps.length,
      log: { stream: "stdout" as const, text },
    }));
    const behaviour = { durationMs: 600, steps, result: '{"sum": a + b}' };
    const program = { type: "simulated" as const, behaviour };
    await rpc.sandboxFunctions.create.mutate({ wId: workspaceId, slug, retryable, program });
    return slug;
  };
  return {
    quickAgent: await createAgent("quick", quickWords("{{message}}"), 0),
    slowAgent: await createAgent("slow", slowWords, 40),
    onceFunction: await createFunction("ledger-once", false),
    againFunction: await createFunction("ledger-again", true),
  };
}
