import { StringDecoder } from "node:string_decoder";

/** What is held of one line at most: the executor's port cuts lines that are longer than it shows. */
const MAX_LINE_CHARACTERS = 20_000;

/** Splits a stream of bytes into lines; the characters past the bound of a line are dropped. */
export function createLineSplitter() {
  const decoder = new StringDecoder("utf8");
  let held = "";
  const hold = (text: string): void => {
    held += text.slice(0, MAX_LINE_CHARACTERS - held.length);
  };
  return {
    /** The lines that these bytes end. */
    *push(bytes: Buffer): Generator<string, void, undefined> {
      const [first = "", ...rest] = decoder.write(bytes).split("\n");
      hold(first);
      for (const text of rest) {
        yield held;
        held = "";
        hold(text);
      }
    },
    /** The last line, if it has no end. */
    *end(): Generator<string, void, undefined> {
      hold(decoder.end());
      if (held !== "") yield held;
      held = "";
    },
  };
}
