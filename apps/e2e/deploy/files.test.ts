import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { Settings } from "@parley/server";
import { DCLinter } from "dclint";
import { validate } from "dockerfile-utils";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
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

const Probe = z.object({ httpGet: z.object({ path: z.string(), port: z.int() }) });
const Deployment = z.object({
  kind: z.literal("Deployment"),
  spec: z.object({
    replicas: z.int().min(2),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
    template: z.object({
      metadata: z.object({ labels: z.record(z.string(), z.string()) }),
      spec: z.object({
        enableServiceLinks: z.literal(false),
        terminationGracePeriodSeconds: z.int(),
        containers: z.array(
          z.object({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string() })),
            readinessProbe: Probe,
            livenessProbe: Probe.optional(),
          }),
        ),
      }),
    }),
  }),
});

test("the manifests of docs/kubernetes.md have settings, commands and probes that there are", async () => {
  const [, text = ""] = /^```yaml\n([^]*?)^```$/m.exec(await read("docs/kubernetes.md")) ?? [];
  const documents = parseAllDocuments(text).map((document) => document.toJS() as { kind: string });
  expect(documents.map(({ kind }) => kind)).toEqual(["Deployment", "Service", "Deployment"]);
  const [api, worker] = documents
    .filter(({ kind }) => kind === "Deployment")
    .map((document) => Deployment.parse(document).spec);
  for (const one of [api, worker]) {
    expect(one?.selector.matchLabels).toEqual(one?.template.metadata.labels);
    const { containers, terminationGracePeriodSeconds } = one?.template.spec ?? {};
    const settings = Object.fromEntries(
      containers?.[0]?.env.map(({ name, value }) => [name, value]) ?? [],
    );
    expect(Object.keys(settings).filter((name) => !(name in Settings.shape))).toEqual([]);
    const { data, error } = Settings.safeParse({ DATABASE_URL: "postgres://a@b/c", ...settings });
    expect(error).toBeUndefined();
    // Kubernetes kills what has not ended by then; an API has 3 s of delay by itself.
    expect(terminationGracePeriodSeconds).toBeGreaterThan(
      3 + (data?.PARLEY_SHUTDOWN_PATIENCE_MS ?? 0) / 1000 + 4,
    );
    const ports = [data?.PARLEY_PORT, data?.PARLEY_METRICS_PORT];
    expect(ports).toContain(containers?.[0]?.readinessProbe.httpGet.port);
    expect(containers?.[0]?.readinessProbe.httpGet.path).toBe("/readyz");
  }
  expect(api?.template.spec.containers[0]?.args).toEqual(["api"]);
  expect(api?.template.spec.containers[0]?.livenessProbe?.httpGet).toEqual({
    path: "/livez",
    port: 3000,
  });
  expect(worker?.template.spec.containers[0]?.args).toEqual(["worker"]);
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
