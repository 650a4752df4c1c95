/** Characters of a name that all providers accept. */
const MAX_NAME = 64;
/** Names that other tools of a turn have: those of skills begin so; the others read results and look things up. */
const RESERVED = /^(?:skills__|results__read$|knowledge__(?:search|read|list)$)/;

/** Whether a name is one that tools of Parley itself have. */
export const isReservedName = (name: string): boolean => RESERVED.test(name);

/**
 * Names for the tools of several servers, `server__tool`, as all providers accept them: letters, digits,
 * `_` and `-`. A name that is taken gets a number.
 */
export function nameTools(
  tools: readonly { readonly serverName: string; readonly toolName: string }[],
): string[] {
  const taken = new Set<string>();
  return tools.map(({ serverName, toolName }) => {
    const server = slug(serverName) || "tools";
    const base = `${server}__${slug(toolName) || "tool"}`;
    for (let number = isReservedName(base) ? 2 : 1; ; number++) {
      const suffix = number === 1 ? "" : `_${number}`;
      const name = base.slice(0, MAX_NAME - suffix.length) + suffix;
      if (taken.has(name)) continue;
      taken.add(name);
      return name;
    }
  });
}

function slug(name: string): string {
  return name
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9_-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
}
