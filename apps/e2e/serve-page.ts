import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rolldown } from "rolldown";

/** A page of an origin of its own. */
export interface ServedPage extends AsyncDisposable {
  readonly origin: string;
}

/** Bundles a program, and serves a page with it. */
export async function servePage(file: string): Promise<ServedPage> {
  const bundle = await rolldown({
    input: file,
    platform: "browser",
    transform: { define: { [["process", "env", "NODE_ENV"].join(".")]: '"production"' } },
  });
  const { output } = await bundle.generate({ format: "es", codeSplitting: false });
  await bundle.close();
  const { code } = output[0];
  const html =
    '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>';
  const server = createServer(({ url }, response) => {
    const isCode = url === "/page.js";
    response.setHeader("Content-Type", isCode ? "text/javascript" : "text/html");
    response.end(isCode ? code : html);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
