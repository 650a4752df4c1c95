import type { Problem, Suggestion } from "../../editor/problem.ts";
import type { Files } from "./type-service.ts";

/** A question to the type worker. */
export interface Question {
  readonly id: number;
  readonly files: Files;
  readonly path: string;
  /** Offset for suggestions; without it, the problems are returned. */
  readonly offset?: number;
}

/** Its answer. */
export type Answer =
  | { readonly id: number; readonly problems: readonly Problem[] }
  | { readonly id: number; readonly suggestions: readonly Suggestion[] };
