import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlace, eventually } from "../server.ts";
import { takePort } from "../proxy/nginx.ts";
import { buildImage, type Stage } from "./build-image.ts";
import { createRootfsFolder, runIn, startIn, whyNoRootfs } from "./rootfs.ts";

const obstacle = whyNoRootfs();
const reason = obstacle === undefined ? "" : `: skipped, ${obstacle}`;

describe.skipIf(obstacle !== undefined)(`the Dockerfile's own lines${reason}`, () => {
  let folder: Awaited<ReturnType<typeof createRootfsFolder>>;
  let stages: ReadonlyMap<string, Stage>;
  beforeAll(async () => {
    folder = await createRootfsFolder();
    stages = await buildImage(folder.path);
  });
  afterAll(async () => folder?.[Symbol.asyncDispose]());

  const stage = (name: string): Stage => {
    const found = stages.get(name);
    if (found === undefined) throw new Error(`There is no stage ${name}`);
    return found;
  };
  const programOf = ({ entrypoint, command }: Stage) => [...entrypoint, ...command];

  /** Starts the program of an image, and waits until its health check passes. */
  async function serve(image: Stage, settings: Readonly<Record<string, string>> = {}) {
    const port = await takePort();
    const environment = { ...image.environment, PARLEY_PORT: String(port), ...settings };
    const started = startIn(image.root, { ...image, environment, args: programOf(image) });
    const isHealthy = async () =>
      runIn(image.root, { ...image, environment, args: image.healthcheck }).then(
        () => true,
        () => false,
      );
    let code: number | null | undefined;
    void started.exited.then((ended) => (code = ended));
    await eventually(async () => {
      if (code !== undefined) return { stop: new Error(started.output.text) };
      return (await isHealthy()) ? { value: true } : {};
    }, 60_000);
    return {
      url: `http://127.0.0.1:${port}`,
      output: started.output,
      kill: started.kill,
      exited: started.exited,
    };
  }

  test("the default image starts alone, with its PostgreSQL and its console", async () => {
    const image = stage("embedded");
    expect([...stages.keys()].at(-1)).toBe("embedded");
    expect(image.user).toBe("node");
    const server = await serve(image);
    try {
      const page = await fetch(server.url);
      expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("<title>")]);
      const ready = (await (await fetch(`${server.url}/readyz`)).json()) as object;
      // Which boundary holds for the code of functions is said, whether or not bubblewrap works here.
      expect(JSON.stringify(ready) + server.output.text).toMatch(/namespace|process/);
    } finally {
      server.kill();
      await server.exited;
    }
  });

  test("the external image has no PostgreSQL, and refuses a start without one in one sentence", async () => {
    const image = stage("external");
    const { output, exited } = startIn(image.root, { ...image, args: programOf(image) });
    expect(await exited).toBe(1);
    const said = output.text.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
    expect(said).toEqual([expect.stringMatching(/^parley: .*DATABASE_URL/)]);
  });

  test("the external image serves on a PostgreSQL of its own", async () => {
    await using place = await createPlace();
    const server = await serve(stage("external"), { DATABASE_URL: place.databaseUrl! });
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    server.kill();
    await server.exited;
  });

  test.for(["git", "bwrap"])("both images have %s", async (program) => {
    for (const name of ["embedded", "external"]) {
      const image = stage(name);
      const said = await runIn(image.root, { ...image, args: [program, "--version"] });
      expect(said).toMatch(/\d+\.\d+/);
    }
  });

  test("neither image has the sources or the tools that built it", async () => {
    const image = stage("embedded");
    const args = ["/bin/sh", "-c", "ls /build /app/node_modules/.bin/rolldown 2>&1 || true"];
    const said = await runIn(image.root, { ...image, args });
    expect(said.match(/No such file/g)).toHaveLength(2);
  });
});
