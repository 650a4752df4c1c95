import { Parser } from "htmlparser2";
import { DocumentFault } from "./document-fault.ts";

/** Tables within tables of a Word document have some hundreds; the parser's work grows with the square of more. */
const MAX_DEPTH = 1000;

/** What is found in a part of XML, by local names: producers choose their own prefixes. */
export interface XmlEvents {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Reads XML as it comes, keeping none of it. Throws `DocumentFault` for elements within too many others. Entities that a document declares are left as they are, so none can grow.
 */
export async function readXml(chunks: AsyncIterable<Uint8Array>, events: XmlEvents): Promise<void> {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        if (++depth > MAX_DEPTH) throw new DocumentFault("too_complex");
        events.open?.(localName(name), attributes);
      },
      ontext: (text) => events.text?.(text),
      onclosetag: (name) => {
        depth--;
        events.close?.(localName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  let decoder: TextDecoder | undefined;
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(encodingOf(chunk));
    parser.write(decoder.decode(chunk, { stream: true }));
  }
  parser.end(decoder?.decode());
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** An attribute by its local name. */
export function attributeOf(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  if (Object.hasOwn(attributes, name)) return attributes[name];
  return Object.entries(attributes).find(([full]) => localName(full) === name)?.[1];
}
