/** Bound on front matter: a description and some metadata. */
const MAX_CHARACTERS = 32 * 1024;

/** The parts of a SKILL.md, which together are its text. */
export interface SkillFileParts {
  /** To the end of the first line `---`. */
  readonly opening: string;
  readonly yaml: string;
  /** The second line `---`. */
  readonly closing: string;
  readonly body: string;
}

/** Divides a SKILL.md: YAML between two lines `---`, then Markdown; or its fault. */
export function splitSkillFile(text: string): SkillFileParts | { readonly fault: string } {
  const [opening] = /^\uFEFF?---[ \t]*\r?\n/.exec(text) ?? [];
  if (opening === undefined) return { fault: "must begin with front matter, after a line ---" };
  const rest = text.slice(opening.length);
  const closed = /^---[ \t]*(?:\r?\n|$)/m.exec(rest.slice(0, MAX_CHARACTERS + 5));
  if (closed === null) {
    const limit = `of at most ${MAX_CHARACTERS} characters`;
    return { fault: `must end its front matter, ${limit}, with a line ---` };
  }
  const [closing] = closed;
  const body = rest.slice(closed.index + closing.length);
  return { opening, yaml: rest.slice(0, closed.index), closing, body };
}
