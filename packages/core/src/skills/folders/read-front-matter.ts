import { formatPath, SkillFrontMatter } from "@parley/schema";
import { type Job, threadModule } from "../../untrusted/job.ts";
import type { CallOptions, Threads } from "../../untrusted/threads.ts";
import type { SkillFileEdit } from "./edit-skill-file.ts";
import { splitSkillFile } from "./split-skill-file.ts";
import type { ReadYaml } from "./yaml.ts";

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

const editJob: Job<SkillFileEdit, string | undefined> = { url, name: "editSkillFile", deadlineMs };

/** Creates `editSkillFile` that runs in a thread; what takes too long is not edited. */
export function createEditSkillFile(
  threads: Threads,
  options: CallOptions,
): (edit: SkillFileEdit) => Promise<string | undefined> {
  return async (edit) => {
    const outcome = await threads.call(editJob, edit, options);
    return "value" in outcome ? outcome.value : undefined;
  };
}

/** Reads a SKILL.md: YAML between two lines `---`, then Markdown. */
export async function readSkillFile(text: string, parseYaml: ParseYaml): Promise<SkillFile> {
  const parts = splitSkillFile(text);
  if ("fault" in parts) return parts;
  const yaml = await parseYaml(parts.yaml);
  if ("fault" in yaml) return { fault: `front matter: ${yaml.fault}` };
  const parsed = SkillFrontMatter.safeParse(yaml.value);
  if (parsed.success) return { frontMatter: parsed.data, body: parts.body.trim() };
  const faults = parsed.error.issues.map(({ path, message }) => `${formatPath(path)}: ${message}`);
  return { fault: `front matter: ${faults.slice(0, 5).join("; ")}` };
}
