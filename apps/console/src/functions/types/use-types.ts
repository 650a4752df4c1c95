import { useEffect, useMemo, useRef, useState } from "react";
import type { Assistant, Problem, Suggestion } from "../../editor/problem.ts";
import type { Answer, Question } from "./messages.ts";
import type { Files } from "./type-service.ts";

/** The state of TypeScript; `failed` if the browser could not load it. */
export type TypesState = "loading" | "ready" | "failed";

interface Types {
  readonly state: TypesState;
  /** The assistant of a file. */
  readonly assistantOf: (path: string) => Assistant;
}

interface Checker {
  readonly ask: (question: Omit<Question, "id">) => Promise<Answer | undefined>;
  readonly end: () => void;
}

/** TypeScript for the code of a function, in a worker that ends with the page. */
export function useTypes(files: Files): Types {
  const [state, setState] = useState<TypesState>("loading");
  const checker = useRef<Checker>(undefined);
  const current = useRef(files);
  useEffect(() => {
    current.current = files;
  }, [files]);
  useEffect(() => {
    const started = startChecker(setState);
    checker.current = started;
    return started.end;
  }, []);
  return useMemo(() => {
    const ask = async (path: string, text: string, offset?: number) =>
      checker.current?.ask({
        files: { ...current.current, [path]: text },
        path,
        ...(offset !== undefined && { offset }),
      });
    const assistantOf = (path: string): Assistant => ({
      findProblems: async (text): Promise<readonly Problem[]> => {
        const answer = await ask(path, text);
        return answer && "problems" in answer ? answer.problems : [];
      },
      suggest: async (text, offset): Promise<readonly Suggestion[]> => {
        const answer = await ask(path, text, offset);
        return answer && "suggestions" in answer ? answer.suggestions : [];
      },
    });
    return { state, assistantOf };
  }, [state]);
}

/** Starts the worker. After it has failed or ended, questions resolve to undefined. */
function startChecker(onState: (state: TypesState) => void): Checker {
  const waiting = new Map<number, (answer: Answer | undefined) => void>();
  const worker = new Worker(new URL("./types-worker.ts", import.meta.url), { type: "module" });
  let ids = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
    worker.terminate();
    for (const resolve of waiting.values()) resolve(undefined);
    waiting.clear();
  };
  worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
    onState("ready");
    waiting.get(data.id)?.(data);
    waiting.delete(data.id);
  });
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    end();
    onState("failed");
  });
  const ask = async (question: Omit<Question, "id">) => {
    if (isOver) return undefined;
    const { promise, resolve } = Promise.withResolvers<Answer | undefined>();
    const id = ++ids;
    waiting.set(id, resolve);
    worker.postMessage({ ...question, id } satisfies Question, {});
    return promise;
  };
  return { ask, end };
}
