import { startLoadGenerator } from "../load/load-generator.ts";
import { addressOf, formatPost } from "../load/plan.ts";
import { measureLoads, samplesOf, tabulate } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { installPackages, restatePackages, startRestate } from "../peer/restate.ts";
import { type Findings, ratio } from "../report.ts";
import { measureCold, startInvoker } from "./invoke.ts";

const CONNECTIONS = 16;
const ENDED = 100;

/** Measures invocations that are waited for beside Restate, a peer that stores its work durably too. */
export async function benchPeer(options: BenchmarkOptions): Promise<Findings> {
  const { resources, rounds, print } = options;
  print(`npm installs ${restatePackages.join(" and ")}\n`);
  const installed = await installPackages(resources, restatePackages);
  print(`installed: ${installed.names.join(", ")}\n`);
  const { pid, url } = await startRestate(resources, installed);
  print("Restate answers\n");
  const generator = startLoadGenerator(resources);
  const code = await startInvoker(options, { ended: ENDED, generator, hasCode: true });
  // As the peer was: invoked once before it is measured.
  print(`first invocation of code: ${Math.round(await measureCold(code))} ms\n`);
  const simulated = await startInvoker(options, { ended: ENDED, generator, hasCode: false });
  const peer = {
    subject: { name: "restate", pid, backends: () => Promise.resolve([]) },
    load: {
      ...addressOf(url),
      requests: [formatPost(url, {}, { a: 1, b: 2 })],
      mustBe: 200,
      mustContain: '{"sum":3}',
    },
  };
  // The peer is between both, so that each of its samples is next to those it is compared with.
  const lanes = [code, peer, simulated].map(({ subject, load }) => ({
    labels: { process: subject.name },
    subject,
    generator,
    load: (round: number) => {
      print(`round ${round + 1} of ${rounds}: ${subject.name}\n`);
      return { ...load, connections: CONNECTIONS };
    },
  }));
  const measured = await measureLoads(options, "all", lanes);
  const compare = (what: string, process: string) =>
    ratio(
      `invocations/s of ${what} over Restate's, ${CONNECTIONS} connections`,
      { of: samplesOf(measured, { process }), over: samplesOf(measured, { process: "restate" }) },
      { read: ({ perSecond }) => perSecond },
    );
  return {
    tables: [tabulate(measured, "invocations")],
    questions: [compare("code", code.subject.name), compare("add", simulated.subject.name)],
  };
}
