import { buildPrompt, promptCharacters, type StepRequest } from "@parley/agent";
import type { ActionRow, ClaimedRun, HistoryRow, Turn } from "@parley/core";
import type { ModelLink } from "../models/model-chain.ts";
import { announceNotes, type NoteAnnouncer } from "./announce-notes.ts";
import { type FileServices, prepareFiles, type TurnFiles } from "./attachments.ts";
import { nameAuthors } from "./name-authors.ts";

/** What the models of a turn are given of its conversation. */
interface TurnPrompt {
  readonly notes: NoteAnnouncer;
  /** The prompt for a model, and its files; what it is not given is noted. */
  forModel(link: ModelLink): Promise<Pick<StepRequest, "prompt" | "openFiles"> & TurnFiles>;
}

interface Asked {
  readonly run: ClaimedRun;
  readonly turn: Turn;
  readonly actions: readonly ActionRow[];
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly retry: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Prepares the prompts of a turn, each model's once. */
export function createTurnPrompt(services: FileServices, asked: Asked): TurnPrompt {
  const { run, turn, now, ...given } = asked;
  const { agent, message, history, skills } = turn;
  const notes = announceNotes(
    { configurationId: agent.sid, messageId: run.logId, now },
    message.promptNotes,
  );
  const authors = nameAuthors(history, agent.sid);
  const prepared = new Map<ModelLink, TurnFiles>();
  return {
    notes,
    forModel: async (link) => {
      const maxCharacters = promptCharacters(link.contextTokens, link.provider);
      const { workspaceId } = run;
      const about = { ...given, workspaceId, turn, model: link, maxCharacters };
      const files = prepared.get(link) ?? (await prepareFiles(services, about));
      prepared.set(link, files);
      notes.add(files.notes);
      const messages = history.map((row) => {
        return { ...toHistory(row), given: files.given.get(row.sid), from: authors.get(row.sid) };
      });
      const { instructions } = agent;
      return { ...files, prompt: buildPrompt({ instructions, skills }, messages, maxCharacters) };
    },
  };
}

function toHistory(row: HistoryRow) {
  const { title, contentType } = row.fragment ?? {};
  return { type: row.type, content: row.content, title, contentType };
}
