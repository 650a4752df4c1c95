/** Calls of the tool with which an agent remembers. They are answered in the transaction that saves their step. */
import type { MemorySource, Queryable } from "@parley/db";
import { askUserTool } from "../calls/ask-user.ts";
import { textOfOutput } from "../calls/tool-results.ts";
import type { StepCall } from "../calls/prepared-calls.ts";
import type { Process } from "../context.ts";
import { memoryTool } from "../memories/memory-tool.ts";
import { isFramed, runMemoryCommands } from "../memories/run-commands.ts";
import { joinSources } from "../memories/write-files.ts";
import type { Turn } from "./load-turns.ts";

type Remembering = Pick<
  Turn,
  "mounts" | "actions" | "history" | "summary" | "message" | "conversation"
>;

/** Whether a call is one of the memory that a turn has. */
export function isMemoryCall({ mounts }: Pick<Turn, "mounts">, call: StepCall): boolean {
  return mounts.length > 0 && call.name === memoryTool.name && call.output === undefined;
}

/** Answers the calls, and writes what they change. Gives each with its output. */
export async function answerMemoryCalls(
  core: Process,
  db: Queryable,
  { turn, calls }: { readonly turn: Remembering; readonly calls: readonly StepCall[] },
): Promise<ReadonlyMap<StepCall, StepCall>> {
  if (calls.length === 0) return new Map();
  const startedAt = performance.now();
  const { mounts, message, conversation } = turn;
  const sources = sourcesOf(turn);
  const of = { conversationId: conversation.sid, messageId: message.sid };
  const commands = calls.map(({ params, actionId }) => {
    return { params, writer: { origin: { ...of, actionId }, sources } };
  });
  const { workspaceId } = message;
  const answers = await runMemoryCommands(core, db, { workspaceId, mounts, commands });
  const durationMs = performance.now() - startedAt;
  return new Map(
    calls.map((call, index) => {
      const { output, isError } = answers[index] ?? { output: "", isError: true };
      const { id, name, params, actionId } = call;
      return [call, { id, name, params, actionId, output, isError, durationMs }];
    }),
  );
}

/** Tools whose results nobody from outside has written: skills are the workspace's. */
const trusted = new Set<string>(["skills__load", "skills__read_file", askUserTool.name]);

/** The text from outside that the model of a turn has read before this step. */
function sourcesOf({ actions, history, summary }: Remembering): MemorySource[] {
  const read = (name: string, output: string): MemorySource[] => {
    if (trusted.has(name)) return [];
    if (name !== memoryTool.name) return [{ type: "tool", name }];
    return isFramed(output) ? [{ type: "memory", name: "" }] : [];
  };
  return joinSources(
    actions.flatMap(({ functionCallName, output }) => read(functionCallName, textOfOutput(output))),
    history.flatMap(({ fragment, called }): MemorySource[] => {
      if (fragment !== null) return [{ type: "document", name: fragment.title }];
      const calls = called?.calls ?? [];
      return calls.flatMap(({ name, output, cutOutput }) =>
        read(name, output === null ? (cutOutput?.head ?? "") : textOfOutput(output)),
      );
    }),
    // What a summary was made of is not known any more.
    summary === null ? [] : [{ type: "summary", name: "" }],
  );
}
