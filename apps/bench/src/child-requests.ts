import type { RunningProcess } from "./child-process.ts";

/** What a child process does on request, by name. */
export type Handlers = Readonly<Record<string, (input: never) => Promise<unknown>>>;

interface Request {
  readonly name: string;
  readonly input: unknown;
}

type Answer = { readonly value: unknown } | { readonly error: string };

/** Few requests take this long: opening 9,000 streams takes the slowest about 20 s. */
const ANSWER_WITHIN_MS = 120_000;

/** Answers the requests of the process that started this one, and ends with it. */
export function answerParent(handlers: Handlers): void {
  const answer = async ({ name, input }: Request): Promise<Answer> => {
    try {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`There is no ${name}`);
      // The parent's requests are typed by the same handlers.
      return { value: await handler(input as never) };
    } catch (error) {
      return { error: (error as Error).message };
    }
  };
  process.on("message", (request: Request) => {
    void answer(request).then((one) => process.send?.(one));
  });
  process.on("disconnect", () => process.exit(0));
}

/** Asks a child process for one thing at a time. */
export type AskChild<H extends Handlers> = <Name extends keyof H & string>(
  name: Name,
  ...input: Parameters<H[Name]>
) => Promise<Awaited<ReturnType<H[Name]>>>;

/** Gives the function that asks a process which answers with `answerParent`. */
export function askingChild<H extends Handlers>(
  { child, output }: RunningProcess,
  answerWithinMs = ANSWER_WITHIN_MS,
): AskChild<H> {
  return async (name, ...[input]) => {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const end = () => reject(new Error(`The process ended at ${name}\n${output()}`));
    const late = () => reject(new Error(`No answer to ${name}\n${output()}`));
    const timer = setTimeout(late, answerWithinMs);
    child.once("message", resolve as (message: unknown) => void);
    child.once("exit", end);
    child.send({ name, input } satisfies Request);
    try {
      const answer = await promise;
      if ("error" in answer) throw new Error(`${name}: ${answer.error}`);
      // What the handler of this name gave, on its way through JSON.
      return answer.value as never;
    } finally {
      clearTimeout(timer);
      child.off("message", resolve as (message: unknown) => void);
      child.off("exit", end);
    }
  };
}
