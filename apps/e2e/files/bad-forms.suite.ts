import { createHmac } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { setTimeout } from "node:timers/promises";
import type { File as FileInfo } from "@parley/schema";
import pg from "pg";
import { expect, test } from "vitest";
import { type Answer, expectError, send } from "../request.ts";
import { eventually, type Server } from "../server.ts";
import { createFileCalls } from "./calls.ts";
import { badForms, formType, right, usableForms, writeForm } from "./forms.ts";

/** The tests of uploads that are not as they should be. */
export function badFormsSuite(server: () => Server, idleMs: number): void {
  const { announce, target, post, formOf, upload, read, path } = createFileCalls(server);

  const sendForm = (file: FileInfo, body: string, contentType = formType): Promise<Answer> =>
    send(server(), { path: target(file), body, headers: { "content-type": contentType } });
  /** Nothing of a refused upload is left: the file is not there, and can be uploaded. */
  const expectUntouched = async (file: FileInfo): Promise<void> => {
    expect((await read(file.sId)).status).toBe(404);
    // If the connection broke, the server may be about to notice.
    const answer = await eventually(async () => {
      const value = await post(target(file), formOf("hello", file));
      return value.text.includes("by another request") ? {} : { value };
    }, 5000);
    expect(`${answer.status} ${answer.text}`).toMatch(/^200 /);
    expect(await (await read(file.sId)).text()).toBe("hello");
  };

  test.for(badForms)("$name: is refused, and leaves nothing", async (bad) => {
    const file = await announce();
    const answer = await sendForm(file, bad.body, bad.contentType);
    expectError(answer, "invalid_request_error", { message: "Invalid request body: " });
    expect(answer.text).toMatch(bad.says);
    await expectUntouched(file);
  });

  test.for(usableForms)("$name: is not a fault", async ({ parts }) => {
    const file = await announce();
    expect((await sendForm(file, writeForm(parts))).status).toBe(200);
    const response = await read(file.sId);
    expect(await response.text()).toBe("hello");
    expect(response.headers.get("content-disposition")).toBe("inline; filename=notes.txt");
  });

  /** Writes a request by hand, and reads the answer. */
  const talk = async (head: readonly string[], body: string, end = false): Promise<string> => {
    const { hostname, port } = new URL(server().url);
    const socket = net.connect(Number(port), hostname);
    await once(socket, "connect");
    socket.on("error", () => {});
    socket.write(
      [
        ...head,
        "Host: x",
        `Authorization: Bearer ${server().demo.userKey}`,
        `Content-Type: ${formType}`,
        "",
        "",
      ].join("\r\n"),
    );
    socket.write(body);
    if (end) socket.destroy();
    let answer = "";
    if (!end) {
      for await (const data of socket.setEncoding("utf8")) {
        answer += String(data);
        if (/\r\n\r\n\{.*\}$/.test(answer)) break;
      }
    }
    return answer;
  };
  const expectRefusal = (answer: string, says: string | RegExp): void => {
    expect(answer).toMatch(/^HTTP\/1.1 400 /);
    expect(answer).toContain('"type":"invalid_request_error"');
    expect(answer).toMatch(says);
  };
  const request = (file: FileInfo, ...headers: string[]) => [
    `POST ${target(file)} HTTP/1.1`,
    ...headers,
  ];

  test("a connection that ends in the middle leaves nothing", async () => {
    const file = await announce({ fileSize: 2 ** 20 });
    const body = writeForm([{ ...right, body: "x".repeat(2 ** 20) }]);
    await talk(request(file, `Content-Length: ${body.length}`), body.slice(0, 600_000), true);
    const again = () => post(target(file), formOf("x".repeat(2 ** 20), file));
    const answer = await eventually(async () => {
      const one = await again();
      return one.status === 200 ? { value: one } : {};
    }, 5000);
    expect(JSON.parse(answer.text)).toMatchObject({ file: { status: "ready" } });
  });

  test.for([
    {
      name: "a Content-Length of more than comes",
      head: `Content-Length: 100000`,
      body: writeForm([right]),
    },
    {
      name: "a Content-Length of more than comes, cut in the file",
      head: `Content-Length: 100000`,
      body: writeForm([right]).slice(0, -14),
    },
    {
      name: "a chunked body without end",
      head: "Transfer-Encoding: chunked",
      body: "5\r\n--b\r\n\r\n",
    },
    { name: "a body that never begins", head: "Content-Length: 100", body: "" },
  ])("$name: is refused when nothing more comes", async ({ head, body }) => {
    const file = await announce();
    const answer = await talk(request(file, head), body);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"type":"request_timeout"');
    expect(answer).toContain(`no byte arrived for ${idleMs} ms`);
    await expectUntouched(file);
  });

  test("a Content-Length of less than comes: the rest is not a request", async () => {
    const file = await announce();
    const body = writeForm([right]);
    const answer = await talk(request(file, `Content-Length: ${body.length - 12}`), body);
    // Whichever is noticed first: that the form has no end, or that its rest is not a request.
    expectRefusal(answer, /malformed form|The request is not well-formed HTTP/);
    await expectUntouched(file);
  });

  test("a chunked body that continues for ever is refused at its bound", async () => {
    const file = await announce();
    const piece = `10000\r\n${"x".repeat(65_536)}\r\n`;
    const answer = await talk(request(file, "Transfer-Encoding: chunked"), piece.repeat(8));
    expectRefusal(answer, "must be at most");
    await expectUntouched(file);
  });

  test("of two uploads at once one wins, and the other is refused", async () => {
    const size = 2 ** 20;
    for (let round = 0; round < 5; round++) {
      const file = await announce({ fileSize: size });
      const bodies = ["a", "b", "c"].map((letter) => letter.repeat(size));
      const answers = await Promise.all(
        bodies.map((body) => post(target(file), formOf(body, file))),
      );
      const won = answers.findIndex(({ status }) => status === 200);
      expect(answers.map(({ status, text }) => (status === 200 ? status : text))).toContain(200);
      expect(await (await read(file.sId)).text()).toBe(bodies[won]);
      for (const lost of answers.filter((_, index) => index !== won)) {
        const message =
          /^Invalid path parameters: fileId: the file (?:is being|has already been) uploaded/;
        expectError(lost, "invalid_request_error", { message });
      }
    }
  });

  test("what was uploaded stays as it is", async () => {
    const file = await upload("hello");
    const again = await post(target(file), formOf("olleh", file));
    const message = "Invalid path parameters: fileId: the file has already been uploaded";
    expectError(again, "invalid_request_error", { message });
    expect(await (await read(file.sId)).text()).toBe("hello");
  });

  test.for([
    ["has come as a whole", 5],
    ["waits to be read", 4 * 2 ** 20],
  ] as const)("an upload that %s is answered, however long that takes", async ([, fileSize]) => {
    const file = await announce({ fileSize });
    const client = new pg.Client({ connectionString: server().place.databaseUrl });
    await client.connect();
    try {
      await client.query("begin; lock table files in access exclusive mode");
      const posted = post(target(file), formOf("x".repeat(fileSize), file));
      // To store it takes longer than a client may be silent.
      await Promise.race([posted, setTimeout(3 * idleMs)]);
      await client.query("commit");
      expect(`${(await posted).status} ${(await posted).text}`).toMatch(/^200 /);
    } finally {
      await client.end();
    }
  });

  test("an address that was not given out is refused", async () => {
    const file = await announce();
    const other = await announce();
    const to = (change: (url: URL) => void): string => {
      const url = new URL(file.uploadUrl);
      change(url);
      return url.pathname + url.search;
    };
    const set = (name: string, value: string) => to((url) => url.searchParams.set(name, value));
    const expires = new URL(file.uploadUrl).searchParams.get("expires") ?? "";
    const forged = createHmac("sha256", "guess").update("x").digest("base64url");
    const foreign = new URL(other.uploadUrl).searchParams.get("signature") ?? "";
    const cases: [string, string][] = [
      [set("signature", forged), "signature"],
      [set("signature", foreign), "signature"],
      [set("signature", "x"), "signature"],
      [set("signature", ""), "signature"],
      [set("expires", String(Number(expires) + 1)), "signature"],
      [set("expires", "1"), "signature"],
      [set("expires", "tomorrow"), "expires"],
      [to((url) => url.searchParams.delete("signature")), "signature"],
      [to((url) => url.searchParams.delete("expires")), "expires"],
      [to((url) => (url.search = "")), "expires"],
    ];
    for (const [where, field] of cases) {
      const answer = await post(where, formOf("hello", file));
      const message = `Invalid query parameters: ${field}: `;
      expectError(answer, "invalid_request_error", { message, field });
    }
    const elsewhere = to((url) => (url.pathname = `${path()}/fil_unknown`));
    expectError(await post(elsewhere, formOf("hello", file)), "invalid_request_error");
    await expectUntouched(file);
  });
}
