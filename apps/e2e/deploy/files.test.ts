import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Settings } from "@parley/server";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import * as z from "zod";
import { hasNginx } from "../proxy/nginx.ts";
import { root } from "../server.ts";

// What is deployed with cannot be run here, so it is read by what knows its formats.

const read = (name: string) => readFile(path.join(root, name), "utf8");

describe("the Dockerfile", () => {
  test("has nothing that its linter minds", async () => {
    expect(validate(await read("Dockerfile"))).toEqual([]);
    // It minds something.
    expect(validate("FROM node\nMAINTAINER x\n")).not.toEqual([]);
  });

  test("builds on the Node of the workspace, and runs as nobody special", async () => {
    const text = await read("Dockerfile");
    const { nodeVersion } = z
      .object({ nodeVersion: z.string() })
      .parse(parse(await read("pnpm-workspace.yaml")));
    const { packageManager } = z
      .object({ packageManager: z.string() })
      .parse(JSON.parse(await read("package.json")));
    expect(text).toContain(`\nARG BASE_IMAGE=node:${nodeVersion}-bookworm-slim\n`);
    const bases = [...text.matchAll(/^FROM (\S+)(?: AS (\S+))?/gm)].map(([, ...names]) => names);
    expect(bases).toEqual([
      ["${BASE_IMAGE}", "build"],
      ["${BASE_IMAGE}", "runtime"],
      ["runtime", "external"],
      ["runtime", "embedded"],
    ]);
    const managers = new Set([...text.matchAll(/pnpm@[\d.]+/g)].map(([name]) => name));
    expect(managers).toEqual(new Set([packageManager]));
    for (const image of text.split(/^FROM .*$/m).slice(3)) {
      expect(image.match(/^USER .*$/gm)).toEqual(["USER node"]);
    }
  });
});

const Service = z.object({
  image: z.string(),
  environment: z.record(z.string(), z.string()).optional(),
  stop_grace_period: z.string().optional(),
  deploy: z.object({ replicas: z.int() }).optional(),
  ports: z.array(z.string()).optional(),
});

describe("compose.yaml", () => {
  const services = async () => {
    const file: unknown = parse(await read("compose.yaml"), { merge: true });
    return z.object({ services: z.record(z.string(), Service) }).parse(file).services;
  };

  test("is what the format's schema says, and has nothing that its linter minds", () => {
    // The order of keys is told by what they are about, not by the alphabet.
    const rules = {
      "services-alphabetical-order": 0,
      "service-keys-order": 0,
      "service-dependencies-alphabetical-order": 0,
      "top-level-properties-order": 0,
      "require-quotes-in-ports": [2, { quoteType: "double" }],
    } satisfies ConstructorParameters<typeof DCLinter>[0]["rules"];
    const linter = new DCLinter({ rules, quiet: true, debug: false, exclude: [] });
    const [result] = linter.lintFiles([path.join(root, "compose.yaml")], false);
    expect(result?.messages).toEqual([]);
  });

  test("starts two APIs and two workers with settings that there are", async () => {
    const { api, worker, ...others } = await services();
    for (const one of [api, worker]) {
      expect(one?.deploy?.replicas).toBe(2);
      const { PGPASSWORD = "", ...settings } = one?.environment ?? {};
      expect(Object.keys(settings).filter((name) => !(name in Settings.shape))).toEqual([]);
      // The library of PostgreSQL reads it: in the URL, / and @ would end it.
      expect(PGPASSWORD).toMatch(/^\$\{POSTGRES_PASSWORD:\?/);
      expect(settings.DATABASE_URL).toBe("postgres://parley@postgres:5432/parley");
      const environment = { ...settings, PARLEY_PUBLIC_URL: "http://a" };
      expect(Settings.safeParse(environment).error).toBeUndefined();
      // Docker kills what has not ended by then.
      expect(one?.stop_grace_period).toBe("30s");
    }
    expect(Object.keys(others).toSorted()).toEqual(["nginx", "postgres", "redis"]);
    for (const { image } of Object.values(others)) expect(image).toMatch(/:\d/);
  });

  test("lets nobody but this machine in", async () => {
    const ports = Object.values(await services()).flatMap((one) => one.ports ?? []);
    expect(ports).toEqual(["127.0.0.1:8080:80"]);
  });
});

const reason = hasNginx ? "" : ": nginx is not installed";

test.skipIf(!hasNginx).for(["apis.conf", "apis.docker.conf"])(
  `nginx takes deploy/nginx.conf with deploy/%s${reason}`,
  async (apis) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "parley-deploy-"));
    await writeFile(path.join(folder, "nginx.conf"), await read("deploy/nginx.conf"));
    await writeFile(path.join(folder, "apis.conf"), await read(`deploy/${apis}`));
    const file = path.join(folder, "nginx.conf");
    const checked = spawnSync("nginx", ["-t", "-c", file, "-p", folder, "-e", "stderr"], {
      encoding: "utf8",
    });
    await rm(folder, { recursive: true });
    expect(checked.stderr).toContain("test is successful");
    expect(checked.status).toBe(0);
  },
);
