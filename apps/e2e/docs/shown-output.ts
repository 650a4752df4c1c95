// Pages show what their commands print, as it was once. Here a shown text is compared with a printed
// one: `…` stands for anything, ids and times for others of their kind. An id that a page shows twice
// has to be the same id twice.

const wild =
  /([a-z]{3}_[A-Za-z0-9]{10}\b|\b(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{10}\b)|(\b\d{13}\b)|(\b\d{4}-\d\d-\d\dT[\d:.]+Z)|((?<="(?:id|\w+Id)":)\d+)/g;

/** JSON without the white space between its tokens, whole or cut short. */
const compact = (json: string) =>
  json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, (_, text) => text ?? "");

const escape = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** The pattern of a piece without `…`, and the ids in it that nobody has seen yet. */
function toPattern(piece: string, known: ReadonlyMap<string, string>) {
  const names: string[] = [];
  let source = "";
  let last = 0;
  for (const match of piece.matchAll(wild)) {
    const [text, id, milliseconds, time] = match;
    source += escape(piece.slice(last, match.index));
    last = match.index + text.length;
    if (milliseconds !== undefined) source += String.raw`\d{13}`;
    else if (time !== undefined) source += String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    else if (id === undefined) source += String.raw`\d+`;
    else if (known.has(id)) source += escape(known.get(id) ?? "");
    else if (names.includes(id)) source += `\\${names.indexOf(id) + 1}`;
    else {
      names.push(id);
      source += `(${id.includes("_") ? id.slice(0, 4) : ""}[A-Za-z0-9]{10})`;
    }
  }
  return { source: source + escape(piece.slice(last)), names };
}

/**
 * Says what of a shown text is not in the printed one, in its place; nothing if all of it is. Adds
 * the ids that it meets to those that are known: what the page calls them, and what they are.
 */
export function findDifference(
  shown: { readonly language: string; readonly text: string },
  printed: string,
  known: Map<string, string>,
): string | undefined {
  const form = (text: string) =>
    shown.language === "json" ? compact(text) : text.replaceAll("\r", "").trim();
  const actual = form(printed);
  const pieces = form(shown.text).split("…");
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    const { source, names } = toPattern(piece, known);
    const isLast = index === pieces.length - 1;
    const pattern = new RegExp(isLast ? `${source}$` : source, index === 0 ? "y" : "g");
    pattern.lastIndex = from;
    const match = pattern.exec(actual);
    if (match === null) return `${piece}\nis not where it should be in\n${actual.slice(from)}`;
    for (const [place, name] of names.entries()) known.set(name, match[place + 1] ?? "");
    from = pattern.lastIndex;
  }
  return undefined;
}
