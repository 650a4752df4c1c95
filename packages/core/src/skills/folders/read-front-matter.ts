import { formatPath, SkillFrontMatter } from "@parley/schema";
import { type Job, threadModule } from "../../untrusted/job.ts";
import type { CallOptions, Threads } from "../../untrusted/threads.ts";
import type { ReadYaml } from "./yaml-thread.ts";

/** Bound on front matter: a description and some metadata. */
const MAX_CHARACTERS = 32 * 1024;

/** The two parts of a SKILL.md, or its fault. */
export type SkillFile =
  | { readonly frontMatter: SkillFrontMatter; readonly body: string }
  | { readonly fault: string };

/** Parses a mapping in YAML. */
export type ParseYaml = (source: string) => Promise<ReadYaml>;

const job: Job<string, ReadYaml> = {
  url: threadModule("yaml-thread", import.meta.url),
  name: "readYaml",
  deadlineMs: 1000,
};

/** Creates a parser of YAML that runs in a thread. */
export function createParseYaml(threads: Threads, options: CallOptions): ParseYaml {
  return async (source) => {
    const outcome = await threads.call(job, source, options);
    return "value" in outcome ? outcome.value : { fault: "takes too long to read" };
  };
}

const { url, deadlineMs } = job;
const writeJob: Job<object, string> = { url, name: "writeYaml", deadlineMs };

/** Creates a writer of YAML that runs in a thread. */
export function createWriteYaml(
  threads: Threads,
  options: CallOptions,
): (value: object) => Promise<string> {
  return async (value) => {
    const outcome = await threads.call(writeJob, value, options);
    if ("value" in outcome) return outcome.value;
    throw new Error(`YAML was not written: ${outcome.failure}`);
  };
}

/** Reads a SKILL.md: YAML between two lines `---`, then Markdown. */
export async function readSkillFile(text: string, parseYaml: ParseYaml): Promise<SkillFile> {
  const opened = /^---[ \t]*\r?\n/.exec(text);
  if (opened === null) return { fault: "must begin with front matter, after a line ---" };
  const rest = text.slice(opened[0].length);
  const closed = /^---[ \t]*(?:\r?\n|$)/m.exec(rest.slice(0, MAX_CHARACTERS + 5));
  if (closed === null) {
    const limit = `of at most ${MAX_CHARACTERS} characters`;
    return { fault: `must end its front matter, ${limit}, with a line ---` };
  }
  const yaml = await parseYaml(rest.slice(0, closed.index));
  if ("fault" in yaml) return { fault: `front matter: ${yaml.fault}` };
  const parsed = SkillFrontMatter.safeParse(yaml.value);
  if (parsed.success) {
    const body = rest.slice(closed.index + closed[0].length).trim();
    return { frontMatter: parsed.data, body };
  }
  const faults = parsed.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  return { fault: `front matter: ${faults.slice(0, 5).join("; ")}` };
}
