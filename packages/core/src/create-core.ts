import { type HasProgramSetting, newId } from "@parley/schema";
import { createLocalStreams, type LocalStreams } from "./activity/local-streams.ts";
import type { AgentDirectory } from "./agents/agent-directory.ts";
import { createDeliveryReaders, type DeliveryReaderServices } from "./webhooks/delivery-readers.ts";
import {
  type AgentServices,
  configurationsOf,
  createAgentVersions,
} from "./agents/agent-versions.ts";
import { createRecorder } from "./audit/audited-mutations.ts";
import type { Caller, Process, RequestContext, WorkspaceCaller } from "./context.ts";
import {
  type ConversationServices,
  createConversationWriter,
} from "./conversations/write-messages.ts";
import { createRowIds } from "./data-access/row-ids.ts";
import type { FileServices } from "./files/files.ts";
import { createSigningKey } from "./files/upload-urls.ts";
import { type BundleCode, bundlesNothing, type CodeServices } from "./functions/programs.ts";
import type { FunctionDirectory } from "./functions/function-directory.ts";
import type { KeyedRequest, KeyedRequestServices } from "./idempotency.ts";
import { createFunctionReader, type FunctionServices } from "./invocations/load-invocation.ts";
import {
  createInvocationWriter,
  type InvocationServices,
} from "./invocations/write-invocations.ts";
import type { KnowledgeServices } from "./knowledge/data-sources.ts";
import { stampHints } from "./log/bus.ts";
import { createHub } from "./log/hub.ts";
import { createTransactionPlaces } from "./log/transaction-places.ts";
import { createLocalWorkers } from "./runs/local-workers.ts";
import { createRunCapacity, type RunServices } from "./runs/run-capacity.ts";
import type { RunKind } from "./runs/run-kinds.ts";
import { createStorageMeter, type StorageServices } from "./storage/storage-meter.ts";
import { createSkillStates, type SkillServices } from "./skills/listing-state.ts";
import { createListLifetimes } from "./tools/list-lifetimes.ts";
import { noToolServers, type ToolServers, type ToolServices } from "./tools/tool-servers.ts";
import { createSearches } from "./untrusted/searches.ts";
import { type EmbedderServices, embedsNothing } from "./retrieval/embedder.ts";
import { createThreads } from "./untrusted/threads.ts";
import { createPriceLists, type PriceServices } from "./usage/price-lists.ts";
import { type BudgetServices, createBudgetReader } from "./usage/require-budget.ts";
import { createReservations, type ReservationServices } from "./usage/reservations.ts";
import type { SecretServices } from "./workspaces/secret-box.ts";

/** A process with the services of all features. */
export interface Core
  extends
    Process,
    AgentServices,
    BudgetServices,
    ConversationServices,
    EmbedderServices,
    FileServices,
    FunctionServices,
    DeliveryReaderServices,
    InvocationServices,
    KeyedRequestServices,
    KnowledgeServices,
    PriceServices,
    ReservationServices,
    RunServices,
    SecretServices,
    SkillServices,
    StorageServices,
    ToolServices,
    CodeServices {
  readonly localStreams: LocalStreams;
}

/** What a core is composed of. */
export interface CoreParts extends Pick<
  Core,
  | "database"
  | "bus"
  | "blockingTimeoutMs"
  | "safetyPollMs"
  | "fileLimits"
  | "conversationLimits"
  | "dataSourceLimits"
  | "secretBox"
> {
  /** The time of the database; by default the machine's, for a process that is alone on it. */
  readonly now?: () => number;
  /** Asks services for vectors; without it, none are made. */
  readonly embed?: EmbedderServices["embed"];
  /** Bundles the code of functions; without it, none is stored. */
  readonly bundleCode?: BundleCode;
  /** Whether workers have a setting that programs need; by default, none of those programs is stored. */
  readonly hasProgramSetting?: HasProgramSetting;
  /** Calls remote servers; without it, none are called. */
  readonly toolServers?: ToolServers;
  /** Runs of a workspace and a kind that may wait; 0 for any number. */
  readonly waitingRuns: number;
  /** Bytes that a workspace may store. */
  readonly workspaceBytes: number;
  /** Called for each request that is refused because its workspace is full. */
  readonly onRefusedStorage?: () => void;
  /** Called for each request that is refused because too many runs wait. */
  readonly onRefusedRun?: (kind: RunKind) => void;
  /** Called with the time from the commit of a log's newest events to their delivery to followers. */
  readonly onDelivery?: (lagMs: number) => void;
  /** Called with failures after a commit. */
  readonly onLateFailure?: (error: unknown) => void;
}

/** Composes a core; only this knows all features. */
export function createCore(given: CoreParts, publicUrl: () => string): Core {
  const { onDelivery = () => {}, onRefusedRun = () => {}, ...named } = given;
  const { onRefusedStorage = () => {}, waitingRuns, workspaceBytes, ...shared } = named;
  const { onLateFailure = () => {}, now = Date.now } = given;
  const { db } = given.database;
  const random = Math.random;
  const agentVersions = createAgentVersions(db);
  const bus = stampHints(given.bus, now, onLateFailure);
  const configurations = configurationsOf({
    agentVersions,
    get publicUrl() {
      return publicUrl();
    },
  });
  const priceListOf = createPriceLists(db);
  const parts = { ...shared, bus, now, random };
  const core: Core = {
    ...parts,
    agentVersions,
    bundleCode: given.bundleCode ?? bundlesNothing,
    embed: given.embed ?? embedsNothing,
    hasProgramSetting: given.hasProgramSetting ?? (() => false),
    toolServers: given.toolServers ?? noToolServers,
    listLifetimes: createListLifetimes(),
    onLateFailure,
    hub: createHub({ ...parts, configurations, onDelivery }),
    recorder: createRecorder(() => core.now()),
    enterTransaction: createTransactionPlaces(given.database.connections),
    newId,
    takeRowIds: createRowIds(db),
    writeConversation: createConversationWriter(db, bus),
    writeInvocation: createInvocationWriter(db, bus),
    deliveryReaders: createDeliveryReaders(parts),
    priceListOf,
    findExceededBudget: createBudgetReader(db, {
      now: () => core.now(),
      priceListOf,
    }),
    reserveUsage: createReservations(db, () => core.now()),
    reserveRunCapacity: createRunCapacity(db, { limit: waitingRuns, onRefused: onRefusedRun }),
    storage: createStorageMeter(db, {
      limitBytes: workspaceBytes,
      now: () => core.now(),
      onRefused: onRefusedStorage,
      onError: onLateFailure,
    }),
    localWorkers: createLocalWorkers(),
    localStreams: createLocalStreams(newId()),
    skillStates: createSkillStates(db),
    readFunction: createFunctionReader(db),
    signingKey: createSigningKey(db),
    threads: createThreads(),
    runSearch: createSearches(given.database.searches),
    idempotencyReservations: new Map(),
    // Known only once the server listens.
    get publicUrl() {
      return publicUrl();
    },
  };
  return core;
}

/** The context of a request for the functions of all features. */
export interface CoreRequest<C extends Caller = Caller>
  extends Core, RequestContext<C>, KeyedRequest {
  readonly agents: AgentDirectory;
  readonly functions: FunctionDirectory;
}

/** The same for a request of a workspace. */
export type CoreContext = CoreRequest<WorkspaceCaller>;
