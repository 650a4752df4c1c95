import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { shareServer } from "../server.ts";
import { type FunctionsCli, openCli } from "./cli.ts";

/** Asks a server twice, with a secret. */
const asking = (url: string) => `export default async ({ dollars }, { fetch, log }) => {
  const headers = { authorization: "Bearer {{secrets.RATES_TOKEN}}" };
  log("info", "asking");
  const first = await fetch("${url}/rates", { headers });
  const { EUR } = await first.json();
  const second = await fetch("${url}/note", { method: "POST", body: String(EUR), headers });
  return { euros: dollars * EUR, note: await second.text() };
};`;

describe("cases beside the code of a function", () => {
  const server = shareServer();
  const writeCase = async (cli: FunctionsCli, name: string, value: object) =>
    cli.write(`${name}.case.json`, JSON.stringify(value));
  const greet = async (): Promise<FunctionsCli> => {
    const cli = await openCli(server());
    await cli.run(["init", "greet"]);
    await writeCase(cli, "greet/ada", {
      name: "greets Ada",
      input: { name: "Ada" },
      result: { greeting: "Hello, Ada!" },
    });
    return cli;
  };
  const openAsking = async (url: string) => {
    const cli = await openCli(server());
    await cli.run(["init", "rates"]);
    await cli.configure("rates", {
      inputSchema: {},
      outputSchema: {},
      allowedHosts: [new URL(url).host],
      secrets: [{ name: "RATES_TOKEN" }],
    });
    await cli.write("rates/index.ts", asking(url));
    return cli;
  };

  it("pass and fail with what differs, without a server", async () => {
    const cli = await greet();
    await writeCase(cli, "greet/number", { input: { name: 1 }, error: { code: "invalid_input" } });
    const nowhere = { settings: { PARLEY_URL: "" } };
    expect((await cli.run(["test", "greet"], nowhere)).stdout).toBe(
      "passed: greets Ada\npassed: number\n",
    );
    await writeCase(cli, "greet/bob", { input: { name: "Bob" }, result: { greeting: "Hi" } });
    await writeCase(cli, "greet/late", { input: { name: "Eve" }, error: { code: "threw" } });
    await writeCase(cli, "greet/long", {
      input: { name: "x".repeat(200) },
      error: { code: "invalid_input", message: "at least" },
    });
    const { code, stdout, stderr } = await cli.see(["test", "greet"], nowhere);
    expect([code, stderr]).toEqual([1, "parley: 3 of 5 cases failed\n"]);
    expect(stdout).toBe(
      [
        "passed: greets Ada",
        "failed: bob (bob.case.json)",
        "  the result differs",
        "     {",
        '    -  "greeting": "Hi"',
        '    +  "greeting": "Hello, Bob!"',
        "     }",
        "  printed: Greeting Bob",
        "failed: late (late.case.json)",
        "  succeeded; expected threw",
        "  printed: Greeting Eve",
        "failed: long (long.case.json)",
        "  ended with invalid_input: input.name: must NOT have more than 100 characters; expected invalid_input: … at least …",
        "passed: number",
        "",
      ].join("\n"),
    );
    const json = await cli.see(["test", "greet", "--json"], nowhere);
    const { cases } = JSON.parse(json.stdout) as { cases: { name: string; status: string }[] };
    expect(cases.map(({ name, status }) => `${name} ${status}`)).toEqual([
      "greets Ada passed",
      "bob failed",
      "late failed",
      "long failed",
      "number passed",
    ]);
  });

  it("refuse a push, unless it says --no-test, and are no part of the function", async () => {
    const cli = await greet();
    const right = await cli.read("greet/index.ts");
    await cli.write("greet/index.ts", right.replace("Hello", "Goodbye"));
    const refused = await cli.see(["push", "greet"]);
    expect([refused.code, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(/^failed: greets Ada .*\n {2}the result differs\n/);
    expect(refused.stderr).toContain(
      "parley: 1 of 1 cases failed: nothing was pushed; --no-test pushes it anyway\n",
    );
    expect(await cli.fail(["get", "greet"])).toContain("parley functions list");
    expect((await cli.run(["push", "greet", "--no-test"])).stdout).toMatch(/, version 1\n/);
    expect((await cli.run(["get", "greet"])).stdout).not.toContain("case.json");
    await cli.write("greet/index.ts", right);
    expect((await cli.run(["push", "greet"])).stdout).toMatch(/^updated: .*, version 2\n/);
  });

  it("answer requests from what was recorded, and name each that was not", async () => {
    const url = "https://rates.example.com";
    const cli = await openAsking(url);
    const fetches = [
      { url: `${url}/rates`, body: { EUR: 0.5 } },
      { method: "POST", url: `${url}/note`, status: 202, body: "noted" },
    ];
    const expected = { input: { dollars: 4 }, result: { euros: 2, note: "noted" } };
    await writeCase(cli, "rates/both", { ...expected, fetches });
    expect((await cli.run(["test", "rates"])).stdout).toBe("passed: both\n");
    await writeCase(cli, "rates/both", { ...expected, fetches: fetches.slice(0, 1) });
    const one = await cli.see(["test", "rates"]);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain(`  fetched without a recorded answer: POST ${url}/note\n`);
    const third = { url: `${url}/more` };
    await writeCase(cli, "rates/both", { ...expected, fetches: [...fetches, third] });
    const more = await cli.see(["test", "rates"]);
    expect(more.stdout).toContain(`  recorded, but not fetched: GET ${url}/more\n`);
    // The rules of the function hold as they do on a server.
    await cli.configure("rates", { allowedHosts: [], fetches: 1 });
    await writeCase(cli, "rates/both", { ...expected, error: undefined, fetches });
    const other = await cli.see(["test", "rates"]);
    expect(other.stdout).toContain(
      "  ended with fetch_refused: RefusedError: rates.example.com is not a host",
    );
    await cli.configure("rates", { allowedHosts: ["rates.example.com"] });
    expect((await cli.see(["test", "rates"])).stdout).toContain("  ended with fetches_exceeded: ");
  });

  it("are recorded once, without secrets", async () => {
    const asked: (string | undefined)[] = [];
    const rates = createServer(({ url, headers }, response) => {
      asked.push(headers.authorization);
      response.setHeader("content-type", "application/json");
      if (url === "/rates") response.end('{"EUR": 0.5, "who": "Bearer open-sesame"}');
      else response.writeHead(200, { "content-type": "text/plain" }).end("noted");
    }).listen(0, "127.0.0.1");
    await once(rates, "listening");
    onTestFinished(() => {
      rates.close();
      rates.closeAllConnections();
    });
    const cli = await openAsking(`http://127.0.0.1:${(rates.address() as AddressInfo).port}`);
    await writeCase(cli, "rates/both", { input: { dollars: 4 } });
    expect(await cli.fail(["test", "rates"])).toBe(
      "both.case.json: needs the result or the error that is expected\n",
    );
    expect(await cli.fail(["test", "rates", "--record"])).toContain("RATES_TOKEN");
    const settings = {
      RATES_TOKEN: "open-sesame",
      PARLEY_SANDBOX_PRIVATE_HOSTS: "127.0.0.1",
    };
    const recorded = await cli.run(["test", "rates", "--record"], { settings });
    expect(recorded.stdout).toBe("recorded: both\n");
    expect(asked).toEqual(["Bearer open-sesame", "Bearer open-sesame"]);
    const written = await cli.read("rates/both.case.json");
    expect(written).not.toContain("open-sesame");
    expect(JSON.parse(written)).toMatchObject({
      input: { dollars: 4 },
      result: { euros: 2, note: "noted" },
      fetches: [
        { method: "GET", status: 200, body: { EUR: 0.5, who: "Bearer [hidden]" } },
        { method: "POST", body: "noted", headers: { "content-type": "text/plain" } },
      ],
    });
    expect((await cli.run(["test", "rates", "--record"], { settings })).stdout).toBe(
      "passed: both\n",
    );
    expect(asked).toHaveLength(2);
  });

  it("say in one line what is wrong with them", async () => {
    const cli = await greet();
    const cases: readonly (readonly [text: string, says: string])[] = [
      ["{", "ada.case.json: Expected property name"],
      ['{"inputs": 1, "result": 1}', "ada.case.json: inputs: unknown field"],
      ['{"result": 1, "error": {"code": "threw"}}', "ada.case.json: has result or error, not both"],
      ['{"error": {"code": "thrown"}}', "ada.case.json: error.code: "],
      ['{"result": 1, "timezone": "Mars"}', "ada.case.json: timezone: must be an IANA"],
      ['{"result": 1, "fetches": [{"url": "file:///"}]}', "ada.case.json: fetches[0].url: "],
      ['{"input": {"name": "Ada"}}', "ada.case.json: needs the result or the error"],
    ];
    for (const [text, says] of cases) {
      await cli.write("greet/ada.case.json", text);
      const said = await cli.fail(["test", "greet"]);
      expect(said).toMatch(/^[^\n]+\n$/);
      expect(said).toContain(says);
      expect(await cli.fail(["push", "greet"])).toBe(said);
    }
    await cli.write("greet/ada.case.json", "x".repeat(16_777_217));
    expect(await cli.fail(["test", "greet"])).toContain("exceed 16777216 bytes");
    await cli.write("greet/ada.case.json", '{"result": 1}');
    await symlink("/etc/hosts", path.join(cli.folder, "greet/linked.case.json"));
    expect(await cli.fail(["test", "greet"])).toContain("linked.case.json: symbolic links");

    await cli.run(["init", "none"]);
    expect(await cli.fail(["test", "none"])).toContain("none: has no cases; write one as");
    await cli.write("none/index.ts", "export default ;\n");
    await writeCase(cli, "none/any", { result: 1 });
    expect(await cli.fail(["test", "none"])).toBe(
      '1 error in your code\nindex.ts:1:16: Unexpected ";"\n  export default ;\n                 ^\n',
    );
    await cli.configure("none", { inputSchema: { type: "thing" } });
    expect(await cli.fail(["test", "none"])).toContain("inputSchema");
  });
});
