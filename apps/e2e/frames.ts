/** One frame of a stream. */
export interface Frame {
  /** The frame's bytes as text, the blank line at its end included. */
  readonly text: string;
  readonly id: string | undefined;
  /** The parsed `data:` line. */
  readonly data: Record<string, unknown>;
}

/** Reads the frames of a stream as they come; comments are left out. Throws on anything else. */
export async function* readFrames(response: Response): AsyncGenerator<Frame, void, undefined> {
  if (response.body === null) throw new Error(`Status ${response.status} has no body`);
  let buffer = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    buffer += chunk;
    for (let end; (end = buffer.indexOf("\n\n")) !== -1;) {
      const text = buffer.slice(0, end + 2);
      buffer = buffer.slice(end + 2);
      if (!text.startsWith(":")) yield parseFrame(text);
    }
  }
  if (buffer !== "") throw new Error(`The stream ends inside a frame: ${JSON.stringify(buffer)}`);
}

function parseFrame(text: string): Frame {
  const match = /^(?:id: (?<id>\d+)\n)?data: (?<data>[^\r\n]+)\n\n$/.exec(text);
  if (match?.groups?.["data"] === undefined)
    throw new Error(`Not a frame: ${JSON.stringify(text)}`);
  const data = JSON.parse(match.groups["data"]) as Record<string, unknown>;
  return { text, id: match.groups["id"], data };
}
