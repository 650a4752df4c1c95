import { startLoadGenerator } from "../load/load-generator.ts";
import { formatPost } from "../load/plan.ts";
import { measureLanes } from "../measure.ts";
import type { BenchmarkOptions } from "../options.ts";
import { installPackages } from "../peer/install-packages.ts";
import { restatePackages, startRestate } from "../peer/restate.ts";
import { answerRatio, type ResultRow, summarize } from "../report.ts";
import { renderTable } from "../table.ts";
import { measureCold, startInvoker, succeeded } from "./invoke.ts";

const CONNECTIONS = 16;
const ENDED = 100;

/** Measures invocations that are waited for beside Restate, a peer that stores its work durably too. */
export async function benchPeer(options: BenchmarkOptions): Promise<ResultRow[]> {
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
    target: {
      host: url.hostname,
      port: Number(url.port),
      requests: [formatPost(url, {}, { a: 1, b: 2 })],
    },
    answers: { mustBe: 200, mustContain: '{"sum":3}' },
  };
  // The peer is between both, so that each of its samples is next to those it is compared with.
  const subjects = [{ ...code, answers: succeeded }, peer, { ...simulated, answers: succeeded }];
  const samples = await measureLanes(
    options,
    subjects.map(({ subject, target, answers }) => ({
      subject,
      generator,
      loadOf: (round) => {
        print(`round ${round + 1} of ${rounds}: ${subject.name}\n`);
        return { ...target, ...answers, connections: CONNECTIONS };
      },
    })),
  );
  const [ofCode = [], ofPeer = [], ofSimulated = []] = samples;
  const compare = (name: string, of: typeof ofCode) =>
    answerRatio({ name, of, over: ofPeer, read: ({ perSecond }) => perSecond });
  const results = [
    compare(`invocations/s of code over Restate's, ${CONNECTIONS} connections`, ofCode),
    compare(`invocations/s of add over Restate's, ${CONNECTIONS} connections`, ofSimulated),
  ];
  const rows = subjects.map(({ subject: { name } }, index) => ({
    process: name,
    ...summarize(samples[index] ?? [], "invocations"),
  }));
  print(`\n${renderTable(rows)}\n${renderTable(results)}`);
  return results;
}
