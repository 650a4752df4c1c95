import { type Confinement, describeConfinements } from "./confinement.ts";
import { otherUser } from "./other-user.ts";
import { awaitReady, startChild, START_MS } from "./processes/child.ts";
import { residentBytesOf } from "./processes/proc.ts";

/** What was found: a probe is a process of its own, and what works here stays what works here. */
const found = new Map<"namespace" | undefined, Promise<Confinement>>();

/**
 * Finds the strongest boundary that works here: bubblewrap if a process starts in namespaces of its own, and for
 * root another user that can read the code of the sandbox. It looks once in the life of this process; again after it
 * threw, or took so long that the load of the machine may be why something weaker was found. Throws if `required`
 * does not work.
 */
export async function findBoundary(required: "namespace" | undefined): Promise<Confinement> {
  const known = found.get(required);
  if (known !== undefined) return known;
  const startedAt = performance.now();
  const looking = look(required);
  found.set(required, looking);
  const forget = (): boolean => found.delete(required);
  looking.then(() => performance.now() - startedAt < START_MS || forget(), forget);
  return looking;
}

async function look(required: "namespace" | undefined): Promise<Confinement> {
  if (process.platform !== "linux") {
    if (required === undefined) return describeConfinements().process;
    throw new Error("The sandbox needs bubblewrap, which works on Linux only");
  }
  const own = describeConfinements();
  const user = otherUser();
  const other = user && describeConfinements(user);
  let cause: unknown;
  for (const confinement of [other?.namespace, own.namespace]) {
    if (confinement === undefined) continue;
    cause = await whyNot(confinement);
    if (cause === undefined) return confinement;
  }
  if (required !== undefined) {
    throw new Error("The sandbox needs bubblewrap, which does not work here", { cause });
  }
  const isOther = other !== undefined && (await whyNot(other.process)) === undefined;
  return isOther ? other.process : own.process;
}

/** Whether code runs in processes of root, which happens if no other user can read the sandbox's own code. */
export const keepsRoot = ({ user }: Confinement): boolean =>
  user === undefined && process.geteuid?.() === 0;

/** Why a process that is started so cannot be used; undefined if it can. */
async function whyNot(confinement: Confinement): Promise<unknown> {
  try {
    // Its own program is what shows that it works: that another starts does not say what this one finds.
    const probe = startChild(confinement);
    try {
      await awaitReady(probe);
      // Root without all of its rights may start what it can neither watch nor end.
      process.kill(probe.pid, 0);
      return residentBytesOf(probe.pid) === undefined
        ? new Error("It cannot be watched")
        : undefined;
    } finally {
      probe.kill("retired");
    }
  } catch (cause) {
    return cause;
  }
}
