import { once } from "node:events";
import net from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { createPlace, eventually, startServer, within } from "../server.ts";
import { createFileCalls } from "./calls.ts";

test("a server that is stopped tells who uploads, and leaves nothing of it", async () => {
  await using place = await createPlace();
  const fileSize = 2 ** 20;
  const bytes = "x".repeat(fileSize);
  let sId = "";
  {
    // Processes of their own, which a signal shuts down.
    await using server = await startServer(place, { PARLEY_SHUTDOWN_PATIENCE_MS: "2000" });
    const { announce, post, target } = createFileCalls(() => server);
    const file = await announce({ fileSize });
    ({ sId } = file);
    const { hostname, port } = new URL(server.url);
    const head = [
      `POST ${target(file)} HTTP/1.1`,
      "Host: x",
      `Authorization: Bearer ${server.demo.userKey}`,
      "Content-Type: multipart/form-data; boundary=b",
      "Content-Length: 1100000",
    ];
    const part =
      'Content-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: text/plain';
    const startUpload = async (): Promise<net.Socket> => {
      const opened = net.connect(Number(port), hostname);
      await once(opened, "connect");
      opened.write(`${head.join("\r\n")}\r\n\r\n--b\r\n${part}\r\n\r\n${bytes.slice(0, 600_000)}`);
      return opened;
    };
    let socket = await startUpload();
    // Another upload is refused from when this one has the file.
    await eventually(async () => {
      // Answered already: it came while the other had the file.
      if (socket.readableLength > 0) socket = await startUpload();
      const other = await post(target(file), new FormData());
      return other.text.includes("by another request") ? { value: true } : {};
    }, 5000);
    server.signal("SIGTERM");
    const answer = await within(9000, text(socket));
    expect(answer).toMatch(/^HTTP\/1.1 503 /);
    expect(answer).toContain('"type":"service_unavailable"');
    expect(await server.exited).toBe(0);
  }
  await using server = await startServer(place);
  const { read, announce, upload } = createFileCalls(() => server);
  expect((await read(sId)).status).toBe(404);
  expect((await announce({ fileSize })).status).toBe("created");
  expect((await upload(bytes)).status).toBe("ready");
});
