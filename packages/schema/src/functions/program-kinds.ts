import { codeLimits, type Limit } from "./code-limits.ts";
import type { Program } from "./programs.ts";

export type { Limit } from "./code-limits.ts";

// The console bundles it without the schemas: of those it imports types only.

/** What a program is: the kind names its executor. */
export type ProgramKind = Program["type"];

/** A language of a source that is a single text. */
interface SourceLanguage {
  readonly label: string;
  /** The file beside `function.json` that has the source. */
  readonly file: string;
}

/** What those who store, show and edit programs need to know of a kind. */
interface KindFacts {
  /** What it runs, where a kind is chosen. */
  readonly label: string;
  /** What it runs, in a list. */
  readonly noun: string;
  /** The member with what runs, and its name unless it is files by their paths. */
  readonly content: {
    readonly member: string;
    readonly name: string;
    readonly isFiles?: boolean;
  };
  /** By the values of the program's `language`, if it has one. */
  readonly languages?: Readonly<Record<string, SourceLanguage>>;
  /** Limits beside those of every invocation, by their members. */
  readonly limits?: Readonly<Record<string, Limit>>;
  /** The setting without which a server runs none of them. */
  readonly setting?: string;
}

/** The kinds of programs, in the order in which they are offered. */
export const programKinds = {
  javascript: {
    label: "JavaScript or TypeScript in this server's sandbox",
    noun: "sandbox",
    content: { member: "source", name: "index.ts", isFiles: true },
    limits: codeLimits,
  },
  e2b: {
    label: "Node packages or Python in an E2B sandbox",
    noun: "E2B",
    content: { member: "source", name: "Code" },
    languages: {
      python: { label: "Python", file: "main.py" },
      javascript: { label: "JavaScript (Node)", file: "index.js" },
    },
    setting: "PARLEY_E2B_API_KEY",
  },
  simulated: {
    label: "Simulation without code",
    noun: "simulation",
    content: { member: "behaviour", name: "Behaviour" },
  },
} as const satisfies Record<ProgramKind, KindFacts>;

/** The facts of a kind that is not known as a literal. */
export const factsOf = (kind: ProgramKind): KindFacts => programKinds[kind];

/** The kind that a folder of files is, if its `function.json` names no program; new functions begin with it. */
export const folderKind = "javascript" satisfies ProgramKind;

/** The file of a function's folder that has the source of a program; undefined if its kind has none. */
export function sourceFileOf(program: {
  readonly type: ProgramKind;
  readonly language?: string;
}): string | undefined {
  const { type, language = "" } = program;
  return factsOf(type).languages?.[language]?.file;
}

type Facts = (typeof programKinds)[ProgramKind];

/** A setting that a kind of programs needs. */
export type ProgramSetting = Extract<Facts, { setting: string }>["setting"];

/** Whether a server has a setting that a kind of programs needs. */
export type HasProgramSetting = (name: ProgramSetting) => boolean;

/** The setting that a kind needs and the server lacks; undefined if it runs such programs. */
export function missingSetting(
  kind: ProgramKind,
  hasSetting: HasProgramSetting,
): ProgramSetting | undefined {
  const facts: Facts = programKinds[kind];
  return "setting" in facts && !hasSetting(facts.setting) ? facts.setting : undefined;
}
