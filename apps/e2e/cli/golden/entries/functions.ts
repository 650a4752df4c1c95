import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const greet = {
  slug: "greet",
  description: "Greets",
  program: { type: "simulated", behaviour: { result: '"Hello, " & name' } },
} as const;

/** A function that greets, and an invocation of it. */
async function greeted({ rpc, parley, wId }: World): Promise<Prepared> {
  await rpc.sandboxFunctions.create.mutate({ wId, ...greet });
  const { invocation } = await parley.functions.invoke({
    functionId: "greet",
    input: { name: "Ada" },
  });
  return { invocation: invocation.sId };
}

/** A function with two versions. */
async function changed({ rpc, wId }: World): Promise<void> {
  await rpc.sandboxFunctions.create.mutate({ wId, ...greet });
  const change = { functionId: "greet", version: 1, description: "Waves" };
  await rpc.sandboxFunctions.update.mutate({ wId, ...change });
}

async function archived(world: World): Promise<Prepared> {
  await world.rpc.sandboxFunctions.create.mutate({ wId: world.wId, ...greet });
  await world.rpc.sandboxFunctions.archive.mutate({ wId: world.wId, functionId: "greet" });
  return {};
}

/** A folder with the code of a function. */
async function withFolder({ home }: World): Promise<void> {
  const folder = path.join(home, "greeting");
  await mkdir(folder);
  const file = { slug: "greeting", description: "Greets" };
  await writeFile(path.join(folder, "function.json"), JSON.stringify(file));
  await writeFile(path.join(folder, "index.js"), "export default () => 'Hello';\n");
}

async function withRecording({ home }: World): Promise<void> {
  const outcome = { status: "succeeded", result: "Hello, Ada" };
  const past = { input: { name: "Ada" }, durationMs: 5, outcome };
  await writeFile(path.join(home, "past.jsonl"), `${JSON.stringify(past)}\n`);
}

async function withSecret({ rpc, wId }: World): Promise<void> {
  await rpc.functionSecrets.put.mutate({ wId, name: "TOKEN", value: "not-logged-secret" });
}

/** Commands about functions. */
export const functionEntries: readonly Entry[] = [
  { command: "functions init", args: ["greeting"], opens: "nothing" },
  // Cases that run are in functions-cli: five sandboxes at once would take a minute.
  {
    command: "functions test",
    prepare: withFolder,
    args: ["greeting"],
    exits: 1,
    opens: "nothing",
  },
  { command: "functions dev", args: ["greeting"], exits: 1, opens: "nothing" },
  { command: "functions push", prepare: withFolder, args: ["greeting"] },
  { command: "functions list", prepare: greeted },
  { command: "functions get", prepare: greeted, args: ["greet"] },
  { command: "functions create", args: ["greet", "--description", "Greets"] },
  { command: "functions update", prepare: greeted, args: ["greet", "--description", "Waves"] },
  { command: "functions remove", prepare: greeted, args: ["greet"], confirmed: "greet" },
  { command: "functions restore", prepare: archived, args: ["greet"] },
  { command: "functions versions list", prepare: changed, args: ["greet"] },
  { command: "functions versions get", prepare: changed, args: ["greet", "1"] },
  { command: "functions rollback", prepare: changed, args: ["greet"] },
  { command: "functions invoke", prepare: greeted, args: ["greet", "--input", '{"name":"Ada"}'] },
  { command: "functions logs", prepare: greeted, args: ["greet"] },
  {
    command: "tail invocation",
    prepare: greeted,
    args: ({ invocation = "" }) => ["greet", invocation],
  },
  {
    command: "functions secret put",
    args: ["TOKEN"],
    input: "not-logged-secret\n",
    asked: [["TOKEN:", "not-logged-secret\r"]],
  },
  { command: "functions secret list", prepare: withSecret },
  { command: "functions secret remove", prepare: withSecret, args: ["TOKEN"], confirmed: "TOKEN" },
  { command: "functions record", prepare: withRecording, args: ["past.jsonl"], opens: "nothing" },
];
