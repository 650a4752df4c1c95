import { randomBytes } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import path from "node:path";
import { createRpcClient } from "parley-client";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { expect, test } from "vitest";
import { examine } from "../cli/doctor.ts";
import { createPlace, type Server, type Settings, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { headersOf } from "../webhooks/listen.ts";
import { startReceiver } from "../webhooks/receiver.ts";
import { failAsProcess, sentenceOf } from "./fail-to-start.ts";

/** As a server that was given no key. */
const keyless: Settings = { PARLEY_ENCRYPTION_KEY: "", PARLEY_PRIVATE_HOSTS: "127.0.0.1" };

test("an embedded server stores secrets with a key of its own, which later starts have", async () => {
  await using place = await createPlace({ isEmbedded: true });
  const file = path.join(place.directory, "encryption.key");
  const receiver = await startReceiver();
  await using _ = { [Symbol.asyncDispose]: receiver.close };
  const webhooksOf = ({ url, demo }: Server) =>
    createRpcClient({ url, apiKey: demo.adminKey }).webhooks;

  let secret: string;
  {
    await using server = await startServer(place, keyless);
    const settings = { url: receiver.url, events: ["message.succeeded" as const] };
    const input = { wId: server.demo.workspaceId, ...settings };
    ({ secret } = await webhooksOf(server).create.mutate(input));
    expect(server.output.stderr).not.toContain((await readFile(file, "utf8")).trim());
  }
  const key = await readFile(file, "utf8");
  const given: Settings = { PARLEY_ENCRYPTION_KEY: randomBytes(32).toString("base64") };
  for (const [index, settings] of [{}, given].entries()) {
    const whole = { ...keyless, ...settings };
    // oxlint-disable-next-line no-await-in-loop -- one server after the other
    await using server = await startServer(place, whole);
    await createCalls(() => server).create("Hello", ["helper"], { blocking: true });
    const received = await receiver.until(index + 1);
    new StandardWebhook(secret).verify(received.at(-1)!.body, headersOf(received.at(-1)!));
    expect(server.output.stderr).not.toContain(key.trim());
    const { of } = await examine({ ...whole, PARLEY_DATA_DIR: place.directory });
    expect(of("encryption")[0]).toMatchObject({
      level: "ok",
      finding: expect.stringMatching(/encryption\.key decrypts all 1 secrets/) as string,
    });
  }
  expect(await readFile(file, "utf8")).toBe(key);

  await chmod(file, 0o644);
  const settings = { ...keyless, PARLEY_DATA_DIR: place.directory, PARLEY_PORT: "0" };
  const line = sentenceOf(await failAsProcess(settings));
  expect(line).toContain(`${file} encrypts stored secrets, and other users can read it`);
  const { of } = await examine(settings);
  expect(of("encryption")[0]).toMatchObject({
    level: "fail",
    cure: "close it with chmod 600",
  });
});
