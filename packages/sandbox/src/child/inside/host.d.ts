/** What the child gives to the code inside: texts and numbers cross, and bytes of bodies. See `host.ts`. */
interface Host {
  log(stream: "stdout" | "stderr", json: string): void;
  progress(fraction: number, json: string): void;
  secret(json: string): string | undefined;
  timer(id: number, ms: number): void;
  stopTimer(id: number): void;
  fetch(id: number, json: string, body: string | ArrayBuffer): void;
  body(id: number, kind: "text"): string;
  body(id: number, kind: "bytes"): ArrayBuffer;
  url(json: string): string | undefined;
  random(bytes: number): string;
  fail(code: string, json: string): void;
  returned(json: string): void;
}

/** Makes a global. */
type Define = (name: string, value: unknown) => void;

/** Encodes text as UTF-8 and decodes it. */
interface Codec {
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}

/** The runtime has it, and no library of TypeScript but that of browsers. */
declare class DOMException extends Error {
  constructor(message: string, name: string);
}
