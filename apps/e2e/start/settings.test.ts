import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { createPlace, settingsFor } from "../server.ts";
import { failAsProcess, failToStart, sentenceOf } from "./fail-to-start.ts";

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "parley-settings-"));
  file = path.join(folder, ".env");
});
afterEach(() => rm(folder, { recursive: true }));

const nobody = "postgres://root:not-logged@127.0.0.1:1/parley";
const migrate = { args: ["migrate"] };

describe(".env of the working directory", () => {
  test("is read, the environment wins, and the log names the file and no value", async () => {
    await writeFile(file, `PARLEY_LOG_LEVEL=info\nexport DATABASE_URL="${nobody}" # a comment\n`);
    const said = await failAsProcess({}, { ...migrate, cwd: folder });
    expect(said).toContain("connect ECONNREFUSED 127.0.0.1:1");
    expect(said.split("\n").filter((line) => line.includes(JSON.stringify(file)))).toHaveLength(1);
    expect(said).not.toContain("not-logged");
    const other = { DATABASE_URL: "postgres://root@127.0.0.1:2/parley" };
    const overridden = await failToStart(other, { ...migrate, cwd: folder });
    expect(overridden).toContain("connect ECONNREFUSED 127.0.0.1:2");
  });

  test("is not missed if there is none", async () => {
    const said = await failToStart({ DATABASE_URL: nobody }, { ...migrate, cwd: folder });
    expect(said).not.toContain(".env");
  });

  test.for([
    ["a line without a value", "# first\n\nPARLEY_PORT=3000\nsecret-line\n", 4],
    ["a quote that is not closed", 'PARLEY_PORT="3000\nsecret-line\n', 1],
    ["words after a quoted value", "PARLEY_PORT=3000\n\nPARLEY_HOST='a' secret-line\n", 3],
    ["a quoted value of two lines, then words", 'A="1\n2"\nsecret line', 3],
  ] as const)("with %s is one sentence with its line", async ([, text, line]) => {
    await writeFile(file, text);
    const sentence = sentenceOf(await failToStart({}, { ...migrate, cwd: folder }));
    expect(sentence).toContain(`${file}: line ${line} `);
    expect(sentence).not.toContain("secret");
  });

  test("that is not a file is one sentence", async () => {
    await mkdir(file);
    const sentence = sentenceOf(await failToStart({}, { ...migrate, cwd: folder }));
    expect(sentence).toContain(`${file} cannot be read (EISDIR)`);
  });
});

describe("names", () => {
  test.for([
    ["PARLEY_PROT", "did you mean PARLEY_PORT?"],
    ["PARLEY_LOGLEVEL", "did you mean PARLEY_LOG_LEVEL?"],
    ["PARLEY_APIKEY", "did you mean PARLEY_API_KEY?"],
    ["PARLEY_SOMETHING_ELSE_ENTIRELY", "see parley --help"],
  ])("%s is refused with the nearest one", async ([name = "", cure = ""]) => {
    const said = await failToStart({ [name]: "secret" }, { cwd: folder });
    expect(said).toBe(`parley: ${name} is not a setting: ${cure}\n`);
  });

  test("of .env are refused too", async () => {
    await writeFile(file, "PARLEY_PROT=3000\n");
    const sentence = sentenceOf(await failToStart({}, { ...migrate, cwd: folder }));
    expect(sentence).toContain("PARLEY_PROT is not a setting");
  });

  test("are refused by a command that calls a server", async () => {
    const importing = { args: ["skills", "import", folder], cwd: folder };
    const sentence = sentenceOf(await failToStart({ PARLEY_PROT: "3000" }, importing));
    expect(sentence).toContain("PARLEY_PROT is not a setting");
  });

  test("of other programs are not the server's matter", async () => {
    await using place = await createPlace();
    const settings = { ...settingsFor(place), PARLEYS_PORT: "x", MY_PARLEY_PORT: "x" };
    const { code, stderr } = await runCli(["migrate"], { environment: settings });
    expect(code, stderr).toBe(0);
  });
});

test("all faults are said at once, with values that are not secrets, and what would be right", async () => {
  const said = await failToStart({
    PARLEY_PROT: "3000",
    PARLEY_PORT: "many",
    PARLEY_DATABASE_POOL: "0",
    PARLEY_LEASE_MS: "1.5",
    PARLEY_PUBLIC_URL: "user:secret@parley.example",
    PARLEY_LOG_LEVEL: "loud",
    PARLEY_ADMIN_KEY: "secret",
    PARLEY_OPENAI_API_KEY: "secret".repeat(1000),
    PARLEY_CORS_ORIGINS: "https://a.example,b.example",
    DATABASE_URL: "host=db password=secret",
    REDIS_URL: "http://secret@redis",
  });
  expect(said.trimEnd().split("\n")).toEqual([
    "parley: Invalid configuration:",
    "  PARLEY_PROT is not a setting: did you mean PARLEY_PORT?",
    '  PARLEY_PORT is "many": it must be a number',
    '  PARLEY_PUBLIC_URL is "…@parley.example": it must be a URL, such as https://parley.example.com',
    '  PARLEY_CORS_ORIGINS is "https://a.example,b.example": b.example must be an origin, such as https://app.example.com',
    '  PARLEY_LEASE_MS is "1.5": it must be a whole number',
    "  PARLEY_OPENAI_API_KEY is not valid: it must be at most 4096 characters long",
    "  DATABASE_URL is not valid: it must be a URL, such as postgres://host:5432/database",
    '  PARLEY_DATABASE_POOL is "0": it must be at least 1',
    "  REDIS_URL is not valid: it must be a URL, such as redis://host:6379",
    '  PARLEY_LOG_LEVEL is "loud": it must be one of fatal, error, warn, info, debug, trace, silent',
    "  PARLEY_ADMIN_KEY is not valid: it must begin with sk- and contain no spaces",
  ]);
});
