import { existsSync, readdirSync, readFileSync } from "node:fs";
import { copyFile, cp, mkdir } from "node:fs/promises";
import path from "node:path";
import dockerignore from "@balena/dockerignore";
import {
  type Copy,
  DockerfileParser,
  type Env,
  From,
  type Instruction,
  type JSONInstruction,
} from "dockerfile-ast";
import { root as workspace } from "../server.ts";
import { copyRootfs, makeNodeImage, runIn, shareFetched } from "./rootfs.ts";

/** A stage of a Dockerfile after its instructions: its files, and how its program is started. */
export interface Stage {
  readonly root: string;
  readonly environment: Record<string, string>;
  workdir: string;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
}

/**
 * Runs the instructions of the workspace's Dockerfile in root file systems below a folder, on the files that
 * `.dockerignore` admits; gives the stages by their names. Throws for an instruction that it does not know.
 */
export async function buildImage(folder: string): Promise<ReadonlyMap<string, Stage>> {
  const base = path.join(folder, "base");
  await makeNodeImage(base);
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  const text = readFileSync(path.join(workspace, "Dockerfile"), "utf8");
  for (const instruction of DockerfileParser.parse(text).getInstructions()) {
    if (instruction instanceof From) {
      const name = instruction.getBuildStage() ?? "";
      stage = await startStage(path.join(folder, name), {
        base,
        from: stages.get(instruction.getImage() ?? ""),
      });
      stages.set(name, stage);
    } else if (stage !== undefined) {
      await apply(instruction, stage, stages);
    }
  }
  return stages;
}

async function startStage(
  root: string,
  { base, from }: { base: string; from: Stage | undefined },
): Promise<Stage> {
  await mkdir(root);
  await copyRootfs(from?.root ?? base, root);
  const none = { workdir: "/", user: "root", entrypoint: [], command: [], healthcheck: [] };
  return { ...none, ...from, root, environment: { ...from?.environment } };
}

async function apply(
  instruction: Instruction,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
): Promise<void> {
  const given = instruction.getArgumentsContent() ?? "";
  const listed = () =>
    (instruction as JSONInstruction)
      .getJSONStrings()
      .map((one) => JSON.parse(one.getValue()) as string);
  switch (instruction.getKeyword()) {
    case "RUN": {
      const script = instruction
        .getArguments()
        .map((one) => one.getValue())
        .join(" ");
      if (script.includes("pnpm") && !existsSync(path.join(stage.root, "root/.local"))) {
        await shareFetched(stage.root);
      }
      await runIn(stage.root, { ...stage, args: ["/bin/sh", "-c", script] });
      return;
    }
    case "COPY":
      return copy(instruction as Copy, stage, stages);
    case "WORKDIR":
      stage.workdir = given;
      await mkdir(path.join(stage.root, given), { recursive: true });
      return;
    case "ENV":
      for (const one of (instruction as Env).getProperties()) {
        stage.environment[one.getName()] = one.getValue() ?? "";
      }
      return;
    case "USER":
      stage.user = given;
      return;
    case "ENTRYPOINT":
      stage.entrypoint = listed();
      return;
    case "CMD":
      stage.command = listed();
      return;
    case "HEALTHCHECK":
      stage.healthcheck = JSON.parse(/CMD (\[.*\])/.exec(given)?.[1] ?? "[]") as string[];
      return;
    case "LABEL":
    case "EXPOSE":
    case "STOPSIGNAL":
    case "VOLUME":
      return;
    default:
      throw new Error(`${instruction.getKeyword()} is not known here`);
  }
}

async function copy(
  instruction: Copy,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
): Promise<void> {
  const [flag] = instruction.getFlags();
  const places = instruction.getArguments().map((one) => one.getValue());
  const target = path.join(stage.root, path.resolve(stage.workdir, places.at(-1) ?? ""));
  const sources = places.slice(0, -1);
  if (flag !== undefined) {
    const from = stages.get(flag.getValue() ?? "");
    if (from === undefined || sources.length !== 1) throw new Error(`COPY ${places.join(" ")}`);
    await cp(path.join(from.root, sources[0]!), target, {
      recursive: true,
      verbatimSymlinks: true,
    });
    return;
  }
  for (const file of listContext()) {
    if (!sources.some((source) => source === "." || source === file)) continue;
    const place = path.join(target, file);
    await mkdir(path.dirname(place), { recursive: true });
    await copyFile(path.join(workspace, file), place);
  }
}

/** The files of the workspace that `.dockerignore` admits. */
function listContext(): string[] {
  const rules = readFileSync(path.join(workspace, ".dockerignore"), "utf8");
  const ignore = dockerignore.default().add(rules);
  const below = (folder: string): string[] =>
    readdirSync(path.join(workspace, folder), { withFileTypes: true }).flatMap((entry) => {
      const file = path.join(folder, entry.name);
      if (ignore.ignores(file)) return [];
      if (entry.isDirectory()) return below(file);
      return entry.isFile() ? [file] : [];
    });
  return below("");
}
