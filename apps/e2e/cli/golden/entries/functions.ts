import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

/** A function that greets, and an invocation of it. */
async function greeted({ operator, parley, wId }: World): Promise<Prepared> {
  await operator.sandboxFunctions.create.mutate({
    wId,
    slug: "greet",
    description: "Greets",
    program: { type: "simulated", behaviour: { result: '"Hello, " & name' } },
  });
  const { invocation } = await parley.functions.invoke({
    functionId: "greet",
    input: { name: "Ada" },
  });
  return { invocation: invocation.sId };
}

const secret = {
  input: "not-logged-secret\n",
  asked: [["TOKEN: ", "not-logged-secret\r"]],
} as const;

async function withSecret({ rpc, wId }: World): Promise<void> {
  await rpc.functionSecrets.put.mutate({ wId, name: "TOKEN", value: "not-logged-secret" });
}

/** Commands about functions. */
export const functionEntries: readonly Entry[] = [
  { command: "functions init", args: ["greeting"], opens: "nothing" },
  { command: "functions list", prepare: greeted },
  { command: "functions show", prepare: greeted, args: ["greet"] },
  {
    command: "functions invoke",
    prepare: greeted,
    args: ["greet", "--input", '{"name":"Ada"}'],
  },
  { command: "functions logs", prepare: greeted, args: ["greet"] },
  {
    command: "tail invocation",
    prepare: greeted,
    args: ({ invocation = "" }) => ["greet", invocation],
  },
  { command: "functions secret put", args: ["TOKEN"], ...secret },
  { command: "functions secret list", prepare: withSecret },
  { command: "functions secret remove", prepare: withSecret, args: ["TOKEN"] },
];
void execFile;
void promisify;
void writeFile;
void path;
