import { type Alert, type BuiltInAlert, builtInAlerts, CreateAlert } from "@parley/schema";
import { writeYaml } from "@parley/core/skill-folders";
import * as z from "zod";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import {
  type Applying,
  type Entry,
  isDeclaration,
  type Kind,
  type Listed,
  type Read,
} from "./kind.ts";
import { type ReadFile, readYamlFile, stemOf, withoutDefaults, YAML } from "./yaml-file.ts";

const builtInNames = Object.keys(builtInAlerts) as [BuiltInAlert, ...BuiltInAlert[]];

const Rule = CreateAlert.omit({ wId: true, agentId: true });
const { shape } = Rule;

/** `alerts/<name>.yaml`: an alert; or what a built-in one has other than by default. */
const AlertFile = z.object({
  builtIn: z.enum(builtInNames).optional(),
  agent: z.string().min(1).optional(),
  name: shape.name.optional(),
  measure: shape.measure.optional(),
  comparison: shape.comparison.removeDefault().optional(),
  threshold: shape.threshold.optional(),
  until: shape.until,
  windowMinutes: shape.windowMinutes.removeDefault().optional(),
  forMinutes: shape.forMinutes.removeDefault().optional(),
  minAnswers: shape.minAnswers.removeDefault().optional(),
  isEnabled: shape.isEnabled.removeDefault().optional(),
});

/** An alert as files declare it, with the name of its agent; empty for all. */
export interface AlertDefinition extends Omit<z.output<typeof Rule>, "until"> {
  readonly builtIn: BuiltInAlert | "";
  readonly agent: string;
  readonly until: number;
}

/** What an alert has if its file does not say it. */
function defaultsOf(builtIn: BuiltInAlert | ""): Partial<z.output<typeof Rule>> {
  if (builtIn === "") return Rule.pick(optionalMembers).parse({});
  const { agentId: _agentId, ...rule } = builtInAlerts[builtIn];
  return rule;
}
const optionalMembers = {
  comparison: true,
  windowMinutes: true,
  forMinutes: true,
  minAnswers: true,
  isEnabled: true,
} as const;

function definitionOf(
  { builtIn: named, agent = "", ...given }: z.output<typeof AlertFile>,
  file: string,
): ReadFile<AlertDefinition> {
  const builtIn = named ?? "";
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  const rule = Rule.safeParse({
    name: stemOf(file),
    ...defaultsOf(builtIn),
    ...Object.fromEntries(said),
  });
  if (!rule.success) {
    const faults = rule.error.issues.map(({ path }) => ({
      file,
      message: `${path.join(".")}: is required`,
    }));
    return { faults };
  }
  const { until = rule.data.threshold } = rule.data;
  return { value: { ...rule.data, until, builtIn, agent } };
}

async function readAlertEntry({ file, text: read }: Entry): Promise<ReadFile<AlertDefinition>> {
  if (!YAML.test(file)) {
    return { faults: [{ file, message: "is not an alert: alert files end in .yaml" }] };
  }
  const found = readYamlFile(AlertFile, { file, text: await read(file) });
  return "faults" in found ? found : definitionOf(found.value, file);
}

type ListedAlert = Listed & { readonly alert: Alert };

const nameOf = ({ builtIn, name }: Pick<AlertDefinition, "builtIn" | "name">): string =>
  builtIn === "" ? name : `built-in ${builtIn}`;

/** The alerts of a workspace that are its own, and built-in ones that it has changed, for an admin; others see none. */
export async function listAlerts(
  { rpc, wId }: ServerConnection,
  { isAdmin }: { readonly isAdmin: boolean },
): Promise<ListedAlert[]> {
  if (!isAdmin) return [];
  const { alerts } = await callServer(rpc.alerts.list.query({ wId }));
  return alerts
    .filter(({ updatedAt }) => updatedAt !== null)
    .map((alert) => {
      const { sId: id, version, name } = alert;
      return {
        name: nameOf({ builtIn: builtInOf(alert), name }),
        id,
        version,
        isArchived: false,
        alert,
      };
    });
}

const builtInOf = ({ isBuiltIn, sId }: Alert) => (isBuiltIn ? (sId as BuiltInAlert) : "");

/** A listed alert as folders declare it. An agent that has no name any more keeps its id. */
export function readAlert(
  { alert, ...named }: ListedAlert,
  agents: readonly Listed[],
): Read<AlertDefinition> {
  const {
    sId: _sId,
    isBuiltIn: _isBuiltIn,
    openSince: _openSince,
    updatedAt: _updatedAt,
    version,
    agentId,
    ...rule
  } = alert;
  const agent = agents.find(({ id }) => id === agentId)?.name ?? agentId ?? "";
  return { ...named, version, definition: { ...rule, builtIn: builtInOf(alert), agent } };
}

function membersOf({ ids }: Applying, { builtIn: _builtIn, agent, ...rule }: AlertDefinition) {
  return { ...rule, agentId: agent === "" ? null : (ids.agent.get(agent) ?? agent) };
}

export const alertKind: Kind<AlertDefinition> = {
  folder: "alerts",
  nameOf,
  isTaken: isDeclaration,
  read: readAlertEntry,
  write: ({ builtIn, name, ...others }, stem) => {
    const defaults = { until: others.threshold, ...defaultsOf(builtIn), agent: "" };
    const differing = withoutDefaults({ name, ...others }, defaults);
    const members = { ...(builtIn !== "" && { builtIn }), ...differing };
    return { files: { [`${stem}.yaml`]: writeYaml(members) } };
  },
  usesOf: ({ agent }) => [["agent", agent === "" ? [] : [agent]]],
  findFault: (after, before, { isAdmin }) => {
    if (!isAdmin) return "alerts need an admin key";
    const measured =
      after.builtIn === "" ? before?.definition.measure : builtInAlerts[after.builtIn].measure;
    return measured === undefined || measured === after.measure
      ? undefined
      : `measure: cannot be changed from ${measured}: choose another name`;
  },
  compared: (alert) => ({ ...alert }),
  create: async (applying, alert) => {
    const { rpc, wId } = applying.connection;
    const { measure, ...members } = membersOf(applying, alert);
    const creating =
      alert.builtIn === ""
        ? rpc.alerts.create.mutate({ wId, measure, ...members })
        : rpc.alerts.update.mutate({ wId, alertId: alert.builtIn, version: 0, ...members });
    return (await callServer(creating)).alert.sId;
  },
  update: async (applying, { before: { id: alertId, version }, after }) => {
    const { rpc, wId } = applying.connection;
    const { measure: _measure, ...members } = membersOf(applying, after);
    await callServer(rpc.alerts.update.mutate({ wId, alertId, version, ...members }));
  },
  remove: async ({ rpc, wId }, { id: alertId, version = 0 }) => {
    await callServer(rpc.alerts.remove.mutate({ wId, alertId, version }));
  },
};
