import { eventually, type Server } from "../server.ts";

type Labels = Readonly<Record<string, string>>;

/** What /metrics answered. */
export interface Scraped {
  readonly text: string;
  /** The sum of the samples of a metric that have these labels; undefined if there is none. */
  value(name: string, labels?: Labels): number | undefined;
}

/** The address of a server's /metrics, which it logs. */
export function metricsUrl(server: Pick<Server, "output">): string {
  const url = /Metrics are at (http:[^"\s]+)/.exec(server.output.stderr)?.[1];
  if (url === undefined) throw new Error("The server serves no metrics");
  return url;
}

/** Reads the metrics of a server. */
export async function scrape(server: Pick<Server, "output">): Promise<Scraped> {
  const response = await fetch(metricsUrl(server));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`/metrics answered ${response.status}: ${text}`);
  const samples = text.split("\n").flatMap((line) => {
    const match = /^(?<name>[a-zA-Z_:]\w*)(?:\{(?<labels>.*)\})? (?<value>\S+)$/.exec(line);
    if (match?.groups === undefined) return [];
    const { name = "", labels = "", value } = match.groups;
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, said]) => [key, said]);
    return [{ name, labels: Object.fromEntries(pairs) as Labels, value: Number(value) }];
  });
  return {
    text,
    value: (name, labels = {}) => {
      const found = samples.filter(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([key, value]) => one.labels[key] === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, one) => sum + one.value, 0);
    },
  };
}

/** Reads the metrics until they are as they are to be. */
export async function scrapeUntil(
  server: Pick<Server, "output">,
  isAsItShould: (scraped: Scraped) => boolean,
): Promise<Scraped> {
  let last: Scraped | undefined;
  return eventually(async () => {
    last = await scrape(server);
    return isAsItShould(last) ? { value: last } : {};
  }, 20_000).catch((cause: unknown) => {
    throw new Error(`The metrics stayed as they were:\n${last?.text}`, { cause });
  });
}
