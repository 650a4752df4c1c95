import type { AnswerFormat } from "@parley/agent";
import { type ClaimedRun, type Core, findValueFault, type Turn } from "@parley/core";
import { enforcementOf } from "@parley/schema";

/** What the answer of a turn must be: as its message says, else as its agent does; undefined for text. */
export function findAnswerFormat(
  { threads }: Pick<Core, "threads">,
  { run, turn }: { run: ClaimedRun; turn: Turn },
  signal: AbortSignal,
): AnswerFormat | undefined {
  const { message, agent } = turn;
  const format = message.responseFormat ?? agent.responseFormat;
  if (format === null) return undefined;
  const { schema } = format;
  const models =
    message.modelSelection === null ? [agent, ...agent.fallbackModels] : [message.modelSelection];
  return {
    schema,
    ...enforcementOf(models, schema),
    findFault: async (value, json) => {
      const options = { workspaceId: run.workspaceId, origin: "run", signal } as const;
      const fault = await findValueFault(threads, { schema, value, json, root: "answer" }, options);
      return fault && `${fault.path}: ${fault.message}`;
    },
  };
}
