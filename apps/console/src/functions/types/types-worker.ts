// Runs TypeScript off the main thread: it is large, and checking large files is slow.
import type { Answer, Question } from "./messages.ts";
import { createTypeService } from "./type-service.ts";

const service = createTypeService();

addEventListener("message", ({ data }: MessageEvent<Question>) => {
  const { id, files, path, offset } = data;
  const answer: Answer =
    offset === undefined
      ? { id, problems: service.findProblems(files, path) }
      : { id, suggestions: service.suggest(files, path, offset) };
  postMessage(answer, {});
});
