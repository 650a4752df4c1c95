/** Prices that workspaces and operators set: rows are only added, so that the past keeps its prices. */
import { embeddingSets, insertRow, modelPrices, type Queryable, workspaces } from "@parley/db";
import {
  invalidRequest,
  type ModelPair,
  ParleyError,
  type RemovePrice,
  type RemoveServerPrice,
  type SetModelPrice,
  type SetPrice,
  type SetServerPrice,
  type Success,
} from "@parley/schema";
import { and, asc, eq, isNull, lt, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { isKnownModel, modelKey, requireKnownModel } from "../workspaces/models.ts";
import { lockMoney } from "../money/money-lock.ts";
import { isPrice, type PriceRow } from "./price-lists.ts";
import { toNano } from "./prices.ts";
import { renderSetPrice } from "./render-prices.ts";

/** Rows of a workspace, and of the operators, at most. */
const MAX_ROWS = 500;
/** Prices that were followed by others at least so long ago may go, if there are too many. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** Whose prices they are, and in which currency: null is the operators. */
interface Owner {
  readonly workspaceId: number | null;
  readonly currency: string;
}

/** Sets what a model costs in the workspace. Throws `model_disabled` for an unknown one. */
export async function setPrice(
  context: RequestContext,
  input: SetPrice,
): Promise<{ price: SetModelPrice }> {
  return inTransaction(context, async ({ db }) => {
    const { id, currency } = await lockWorkspace(context, db, input.wId);
    await requirePriceable(db, input);
    requireCurrency("prices", currency, input.currency);
    return insertPrice(context, db, { input, owner: { workspaceId: id, currency } });
  });
}

/** Sets what a model costs in all workspaces of a currency that have no price of their own. */
export async function setServerPrice(
  context: RequestContext,
  input: SetServerPrice,
): Promise<{ price: SetModelPrice }> {
  const owner = { workspaceId: null, currency: input.currency };
  return inTransaction(context, async ({ db }) => {
    await requirePriceable(db, input);
    return insertPrice(context, db, { input, owner });
  });
}

/** Throws `model_disabled` for a model that the server does not know, and that makes no vectors for a workspace either. */
async function requirePriceable(db: Queryable, pair: ModelPair): Promise<void> {
  const { providerId, modelId } = embeddingSets;
  const isOfPair = and(eq(providerId, pair.providerId), eq(modelId, pair.modelId));
  if (isKnownModel(pair) || (await db.$count(embeddingSets, isOfPair)) > 0) return;
  requireKnownModel(pair);
}

/**
 * Removes the workspace's own price of a model, with those that do not count yet: the operators' or the shipped one
 * counts from now on. Throws `price_not_found`.
 */
export async function removePrice(context: RequestContext, input: RemovePrice): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { id: workspaceId, currency } = await lockWorkspace(context, db, input.wId);
    return insertRemoval(context, db, { input, owner: { workspaceId, currency } });
  });
}

/** Removes the operators' price of a model, with those that do not count yet. Throws `price_not_found`. */
export async function removeServerPrice(
  context: RequestContext,
  input: RemoveServerPrice,
): Promise<Success> {
  const owner = { workspaceId: null, currency: input.currency };
  return inTransaction(context, async ({ db }) => insertRemoval(context, db, { input, owner }));
}

/** The workspace, whose currency stays as it is until the transaction ends. */
export async function lockWorkspace(
  context: RequestContext,
  db: Queryable,
  wId: string,
): Promise<WorkspaceRow> {
  const { id } = await administeredWorkspace(context, db, wId);
  const [row] = await db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, id))
    .for("no key update");
  if (row === undefined) throw new ParleyError("workspace_not_found", "wId: no such workspace");
  return row;
}

/** Throws `invalid_request_error` for a currency that is not the workspace's. */
export function requireCurrency(
  what: string,
  currency: string,
  given: string | undefined = currency,
): void {
  if (given === currency) return;
  const message = `the workspace's ${what} are in ${currency}, its currency: leave it out, or give ${currency}`;
  throw invalidRequest("body", [{ path: "currency", message }]);
}

async function insertPrice(
  { now }: RequestContext,
  db: Queryable,
  { input, owner }: { input: SetPrice | SetServerPrice; owner: Owner },
): Promise<{ price: SetModelPrice }> {
  const createdAt = now();
  const { validFrom = createdAt, note = null } = input;
  if (validFrom < createdAt) {
    const message = `must not be in the past, as no amount is computed again: leave it out for now, or give a time after ${new Date(createdAt).toISOString()}`;
    throw invalidRequest("body", [{ path: "validFrom", message }]);
  }
  await requireRoom(db, owner, { now: createdAt, count: 1 });
  const nano = (text: string | undefined) => (text === undefined ? null : toNano(text));
  const row = await insertRow(db, modelPrices, {
    ...owner,
    providerId: input.providerId,
    modelId: input.modelId,
    validFrom,
    input: nano(input.input),
    cachedInput: nano(input.cachedInput),
    cacheWrite: nano(input.cacheWrite),
    output: nano(input.output),
    reasoning: nano(input.reasoning),
    image: nano(input.image),
    note,
    createdAt,
  });
  return { price: renderSetPrice(row) };
}

async function insertRemoval(
  { now }: RequestContext,
  db: Queryable,
  { input: { providerId, modelId }, owner }: { input: ModelPair; owner: Owner },
): Promise<Success> {
  const createdAt = now();
  const ofModel = { providerId, modelId };
  await lockMoney(db);
  const rows = (await readOwnPrices(db, owner)).filter(
    (row) => modelKey(row) === modelKey(ofModel),
  );
  const removed = currentPrices(rows, createdAt).filter(isPrice);
  if (removed.length === 0) {
    const whose = owner.workspaceId === null ? "The operators have" : "The workspace has";
    const message = `${whose} set no price of ${modelKey(ofModel)} in ${owner.currency}: list the prices to see those that are set`;
    throw new ParleyError("price_not_found", message);
  }
  const times = new Set(removed.map(({ validFrom }) => Math.max(validFrom, createdAt)));
  const removals = [...times].map((validFrom) => ({ ...owner, ...ofModel, validFrom, createdAt }));
  await requireRoom(db, owner, { now: createdAt, count: removals.length });
  await db.insert(modelPrices).values(removals);
  return { success: true };
}

/** The rows of an owner in its currency, by time. */
async function readOwnPrices(db: Queryable, owner: Owner): Promise<PriceRow[]> {
  return db
    .select()
    .from(modelPrices)
    .where(and(isOf(owner), eq(modelPrices.currency, owner.currency)))
    .orderBy(asc(modelPrices.validFrom), asc(modelPrices.id));
}

/** Of rows by time, those that count now or later: of each owner, model and time, the last. */
export function currentPrices(rows: readonly PriceRow[], now: number): PriceRow[] {
  const ofModels = Map.groupBy(
    rows,
    (row) => `${row.workspaceId}/${row.currency}/${modelKey(row)}`,
  );
  return [...ofModels.values()].flatMap((ofModel) =>
    ofModel.filter(({ validFrom }, index) => {
      const next = ofModel[index + 1];
      return next === undefined || (next.validFrom > now && next.validFrom > validFrom);
    }),
  );
}

/** Makes room, and throws `invalid_request_error` if there is none. Rows come one after the other from here on. */
async function requireRoom(
  db: Queryable,
  owner: Owner,
  { now, count }: { now: number; count: number },
): Promise<void> {
  await lockMoney(db);
  const hasRoom = async () => (await db.$count(modelPrices, isOf(owner))) + count <= MAX_ROWS;
  if (await hasRoom()) return;
  const isFollowed = sql`exists (
    select from ${modelPrices} later
    where later.workspace_id is not distinct from ${modelPrices.workspaceId}
      and later.currency = ${modelPrices.currency}
      and later.provider_id = ${modelPrices.providerId} and later.model_id = ${modelPrices.modelId}
      and (later.valid_from, later.id) > (${modelPrices.validFrom}, ${modelPrices.id})
      and later.valid_from < ${now - KEPT_MS}
  )`;
  await db
    .delete(modelPrices)
    .where(and(isOf(owner), lt(modelPrices.validFrom, now - KEPT_MS), isFollowed));
  if (await hasRoom()) return;
  const whose = owner.workspaceId === null ? "the operators keep" : "the workspace keeps";
  const message = `${whose} ${MAX_ROWS} prices, with those of the last day and those removed in it: set a price for fewer models, or wait a day`;
  throw invalidRequest("body", [{ path: "", message }]);
}

function isOf({ workspaceId }: Owner) {
  const of = modelPrices.workspaceId;
  return workspaceId === null ? isNull(of) : eq(of, workspaceId);
}
