import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createRpcClient } from "parley-client";
import type { Demo } from "../server.ts";

/** What each kind of request took, in milliseconds. */
interface OfKinds {
  readonly create: number;
  readonly list: number;
  readonly invoke: number;
  readonly render: number;
  readonly livez: number;
}

/** The median and the 99th percentile of what requests took. */
export interface Latencies {
  readonly p50: OfKinds;
  readonly p99: OfKinds;
}

/** What the bystander's process is told. */
export type ToBystander =
  | {
      readonly type: "begin";
      readonly urls: readonly string[];
      readonly workspaceId: string;
      readonly apiKey: string;
      readonly builderKey: string;
      readonly agentId: string;
      readonly skillId: string;
    }
  | { readonly type: "end" };

/** What it says, once for each time that it began. */
type FromBystander = { readonly latencies: Latencies } | { readonly failure: string };

/** A workspace that has nothing to do with an attack, and whose requests are timed. */
export interface Bystander extends Disposable {
  /** Sends requests until `work` is done and says how long they took. Throws if one fails. */
  during(work: () => Promise<void>): Promise<Latencies>;
}

/** Makes a workspace with an agent and a function; its requests go to the APIs in turn. */
export async function createBystander(
  urls: readonly [string, ...string[]],
  { operatorKey }: Pick<Demo, "operatorKey">,
): Promise<Bystander> {
  const operator = createRpcClient({ url: urls[0], apiKey: operatorKey });
  const { workspace } = await operator.workspaces.create.mutate({ name: "Bystander" });
  const workspaceId = workspace.sId;
  const { apiKey, secret } = await operator.apiKeys.create.mutate({
    wId: workspaceId,
    name: "bystander",
    role: "user",
  });
  if (apiKey.role !== "user") throw new Error("The bystander is no ordinary user");
  const { agentConfiguration } = await operator.agents.create.mutate({
    wId: workspaceId,
    name: "bystander",
    description: "Answers at once",
    model: { providerId: "simulated", modelId: "simulated-1" },
    script: { steps: [{ text: "Yes." }], tokenDelayMs: 0 },
  });
  await operator.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: "add",
    description: "Adds",
    // Not so simple that it could run on the event loop, which serves everybody.
    program: {
      type: "simulated",
      behaviour: {
        durationMs: 0,
        steps: [],
        result: "$sum($map([1..a], function($n) { $n * b }))",
      },
    },
  });
  const builder = await operator.apiKeys.create.mutate({
    wId: workspaceId,
    name: "builder",
    role: "builder",
  });
  const { skill } = await operator.skills.create.mutate({
    wId: workspaceId,
    name: "bystander",
    agentFacingDescription: "Changes often",
    instructions: "# Skill",
  });
  const child = fork(path.join(import.meta.dirname, "bystander-process.ts"), {
    execArgv: ["--conditions=@parley/source"],
  });
  const agentId = agentConfiguration.sId;
  const tell = (message: ToBystander): void => void child.send(message);
  return {
    during: async (work) => {
      const said = once(child, "message") as Promise<[FromBystander]>;
      const keys = { apiKey: secret, builderKey: builder.secret };
      tell({ type: "begin", urls, workspaceId, ...keys, agentId, skillId: skill.sId });
      // A bystander that fails ends the attack's test, and an attack's failure the bystander.
      const failed = await Promise.race([work(), said]).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      tell({ type: "end" });
      const [answer] = await said;
      if (failed !== undefined) throw failed.error;
      if ("failure" in answer) throw new Error(answer.failure);
      return answer.latencies;
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
