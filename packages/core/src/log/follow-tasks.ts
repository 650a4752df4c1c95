/**
 * Follows an answer with the tasks below it, as one stream. The events of a task come after the event that started it and
 * before the one that ends its call, in their order; those of tasks that run at once come as they happen. So a follower
 * that resumes names, beside the number of the answer's event, those of the tasks whose calls are open.
 */
import { type Queryable, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { StoredEvent } from "./bus.ts";
import type { Hub } from "./hub.ts";
import type { TaskPlaces } from "./resume.ts";
import { isTerminal } from "./append.ts";
import type { Follower, Following } from "./tail.ts";

/** Tasks of a conversation that are followed: later ones are only referred to. */
export const FOLLOWED_TASKS = 200;

/** What is read of a log before it is followed. */
interface Beginning {
  readonly lastSeq: number;
  readonly closed: boolean;
  /** How many tasks of its conversation were there with it; null outside of tasks. */
  readonly ordinal: number | null;
  /** The events up to the place of the follower that start tasks, and that end calls. */
  readonly before: readonly string[] | null;
}

const beginStatement = statement<{ logId: string; after: number }, Beginning>(
  "begin_following_tasks",
  sql`
  select l.last_seq as "lastSeq", l.closed_at is not null as closed,
    case when c.root_id is not null then
      (select count(*)::int from conversations o where o.root_id = c.root_id and o.id <= c.id) end as ordinal,
    (select json_agg(e.payload order by e.seq) from events e
      where e.log_id = l.id and e.seq <= ${sql.placeholder("after")}
        and e.type in ('agent_task_started', 'agent_action_success')) as before
  from logs l join messages m on m.sid = l.id join conversations c on c.id = m.conversation_id
  where l.id = ${sql.placeholder("logId")}`,
);

/** What events say of tasks: which call has started one, or has ended. */
interface OfTasks {
  readonly type: string;
  readonly created: number;
  readonly configurationId: string;
  readonly messageId: string;
  readonly step: number;
  readonly actionId?: string;
  readonly task?: { readonly messageId: string };
  readonly action?: { readonly sId: string };
}

/** An answer that is followed: the first one, or that of a task. */
interface Node {
  readonly logId: string;
  /** The reference to it, and where the first answer has started it or those above; undefined for that one. */
  readonly task: OfTasks["task"];
  readonly startedAt: Pick<OfTasks, "configurationId" | "messageId" | "step"> | undefined;
  readonly parent: Node | undefined;
  /** Number of its last event that was handed on. */
  seq: number;
  /** Tasks whose calls are open, by these. */
  readonly open: Map<string, Node>;
  /** Events that came, and wait until tasks have ended. */
  readonly waiting: StoredEvent[];
  following: Following | undefined;
  /** Whether nothing follows what waits. */
  isOver: boolean;
}

interface FollowedTree {
  readonly logId: string;
  /** Number of the last event of the answer that the follower has. */
  readonly after: number;
  readonly below: TaskPlaces;
  /** Event types that the follower does not get. */
  readonly hidden: ReadonlySet<string>;
}

/** Hands the events of an answer and of its tasks to a follower, each once: like `Hub.follow`. */
export function followTasks(
  { hub, database: { db } }: { readonly hub: Hub; readonly database: { readonly db: Queryable } },
  follower: Follower,
  { logId, after, below, hidden }: FollowedTree,
): Following {
  const root = newNode({ logId, after });
  /** Places of tasks whose start has not been read yet. */
  const unread = new Map(below);
  let isStopped = false;
  let isFull = false;

  function newNode(of: Pick<Node, "logId"> & Partial<Node> & { readonly after: number }): Node {
    return {
      task: undefined,
      startedAt: undefined,
      parent: undefined,
      open: new Map(),
      waiting: [],
      following: undefined,
      isOver: false,
      ...of,
      seq: of.after,
    };
  }

  function addTask(parent: Node, { actionId = "", task, ...at }: OfTasks): Node {
    const taskId = task?.messageId ?? "";
    const { configurationId, messageId, step } = parent.startedAt ?? at;
    const startedAt = { configurationId, messageId, step };
    const node = newNode({
      logId: taskId,
      task,
      startedAt,
      parent,
      after: unread.get(taskId) ?? 0,
    });
    unread.delete(taskId);
    parent.open.set(actionId, node);
    return node;
  }

  async function begin(node: Node): Promise<void> {
    const { seq } = node;
    const [found] = await beginStatement.execute(db, { logId: node.logId, after: seq });
    if (isStopped) return;
    for (const payload of found?.before ?? []) {
      // The log holds what its endpoint describes.
      const event = JSON.parse(payload) as OfTasks;
      if (event.type === "agent_task_started") addTask(node, event);
      else node.open.delete(event.action?.sId ?? "");
    }
    const tasks = [...node.open.values()];
    const isLeftOut = found === undefined || (found.ordinal ?? 0) > FOLLOWED_TASKS;
    // A closed log tells nobody of its end who has all of it.
    if (isLeftOut || (found.closed && seq >= found.lastSeq)) endLog(node);
    else {
      const take = (events: readonly StoredEvent[]): boolean => {
        node.waiting.push(...events);
        handOn(node);
        return !isFull && node.waiting.length === 0;
      };
      const fail = (error: unknown): void => stopWith(error);
      node.following = hub.follow(
        { take, end: () => endLog(node), fail },
        { logId: node.logId, after: seq },
      );
    }
    await Promise.all(tasks.map(begin));
  }

  function stopWith(error: unknown): void {
    if (isStopped) return;
    stop();
    follower.fail(error);
  }

  const start = (node: Node): void => void begin(node).catch(stopWith);

  function endLog(node: Node): void {
    node.isOver = true;
    handOn(node);
  }

  /** Whether a task has been handed on as a whole. */
  const hasEnded = (node: Node): boolean => node.isOver && node.waiting.length === 0;

  /** Hands on what does not wait for the end of a task. */
  function handOn(node: Node): void {
    if (isStopped) return;
    const given: StoredEvent[] = [];
    for (let event = node.waiting[0]; event !== undefined; event = node.waiting[0]) {
      const said = ofTasks(event);
      const ended = said?.action?.sId ?? "";
      const tasks = isTerminal(event.type) ? [...node.open.values()] : [node.open.get(ended)];
      if (tasks.some((task) => task !== undefined && !hasEnded(task))) break;
      node.waiting.shift();
      node.seq = event.seq;
      if (isTerminal(event.type)) node.open.clear();
      else node.open.delete(ended);
      if (said?.task !== undefined) start(addTask(node, said));
      if (!hidden.has(event.type)) given.push(asOfRoot(node, event));
    }
    if (given.length > 0 && !follower.take(given)) isFull = true;
    if (isStopped || node.waiting.length > 0) return;
    if (!isFull) node.following?.resume();
    if (!node.isOver) return;
    if (node.parent !== undefined) return handOn(node.parent);
    stop();
    follower.end();
  }

  /** An event as the follower gets it: with the place after it as its id. */
  function asOfRoot(node: Node, event: StoredEvent): StoredEvent {
    const id = placeOf(root, unread);
    if (node.task === undefined) return { ...event, id };
    const { created } = JSON.parse(event.payload) as OfTasks;
    const about = JSON.stringify({
      type: "agent_task_event",
      created,
      ...node.startedAt,
      task: node.task,
    });
    const payload = `${about.slice(0, -1)},"eventId":"${event.seq}","event":${event.payload}}`;
    return { seq: event.seq, type: "agent_task_event", payload, id };
  }

  function stop(): void {
    isStopped = true;
    for (const node of nodesOf(root)) node.following?.stop();
  }

  start(root);
  return {
    stop,
    resume: () => {
      isFull = false;
      for (const node of nodesOf(root)) if (node.waiting.length === 0) node.following?.resume();
    },
  };
}

/** The members that matter to the order; undefined for most events, which are not parsed. */
function ofTasks({ type, payload }: StoredEvent): OfTasks | undefined {
  if (type !== "agent_task_started" && type !== "agent_action_success") return undefined;
  // The log holds what its endpoint describes.
  return JSON.parse(payload) as OfTasks;
}

/** An answer and all open tasks below it. */
function nodesOf(node: Node): Node[] {
  return [node, ...[...node.open.values()].flatMap(nodesOf)];
}

/** The place of a follower, as `parsePlaces` reads it. */
function placeOf(root: Node, unread: TaskPlaces): string {
  const [, ...tasks] = nodesOf(root);
  const read = tasks.filter(({ seq }) => seq > 0).map(({ logId, seq }) => [logId, seq] as const);
  const places = [...read, ...unread].map(([logId, seq]) => `${logId}.${seq}`);
  return [String(root.seq), ...places].join("~");
}
