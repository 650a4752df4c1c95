import type { Problem, Suggestion } from "../../editor/problem.ts";
import type { Files } from "./type-service.ts";

/** What the worker of the types is asked. */
export interface Question {
  readonly id: number;
  readonly files: Files;
  readonly path: string;
  /** Where suggestions are wanted; without it, the problems are. */
  readonly offset?: number;
}

/** What it answers. */
export type Answer =
  | { readonly id: number; readonly problems: readonly Problem[] }
  | { readonly id: number; readonly suggestions: readonly Suggestion[] };
