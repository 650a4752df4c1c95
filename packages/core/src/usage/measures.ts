import {
  Amount,
  type BudgetMeasure,
  type BudgetPeriod,
  type CreateBudget,
  invalidRequest,
  periodsOfMeasure,
} from "@parley/schema";
import { toDecimal, toNano } from "./prices.ts";

/** What budgets of a measure limit, and how their numbers are written. */
interface MeasureRules {
  /** Undefined for all. */
  readonly scopes?: readonly CreateBudget["scope"][];
  readonly toStored: (limit: string) => bigint;
  readonly toLimit: (stored: bigint) => string;
  /** The same of what is spent, if that is counted in another unit. */
  readonly toSpent?: (stored: bigint) => string;
  /** Of what is spent, for one of the limit. */
  readonly perUnit?: bigint;
}

const whole = { toStored: BigInt, toLimit: String };
/** Processor time is spent in milliseconds. */
const MS_PER_SECOND = 1000n;
const NANO_PER_MS = 1_000_000n;

const measures: Readonly<Record<BudgetMeasure, MeasureRules>> = {
  money: { toStored: toNano, toLimit: toDecimal },
  tool_calls: whole,
  processor_seconds: {
    ...whole,
    toSpent: (ms) => toDecimal(ms * NANO_PER_MS),
    perUnit: MS_PER_SECOND,
  },
  stored_bytes: { scopes: ["workspace", "user"], ...whole },
};

/** The rules of a measure. */
export const rulesOf = (measure: BudgetMeasure): MeasureRules => measures[measure];

const quoted = (words: readonly string[]) => words.join(", ");

/** Throws `invalid_request_error` for a budget that its measure does not have. */
export function requireMeasure(
  budget: Pick<CreateBudget, "measure" | "period" | "isHard" | "limit"> & {
    readonly scope: string;
  },
): void {
  const { measure, period, scope, isHard } = budget;
  const { scopes } = rulesOf(measure);
  const periods: readonly BudgetPeriod[] = periodsOfMeasure[measure];
  const refuse = (path: string, message: string) => invalidRequest("body", [{ path, message }]);
  if (!periods.includes(period)) {
    throw refuse("period", `a budget of ${measure} is for one of: ${quoted(periods)}`);
  }
  if (scopes?.some((one) => one === scope) === false) {
    throw refuse("scope", `a budget of ${measure} limits one of: ${quoted(scopes)}`);
  }
  requireLimit(measure, budget.limit);
  if (measure !== "money" && !isHard)
    throw refuse("isHard", `a budget of ${measure} is always hard`);
}

/** Throws `invalid_request_error` for a limit that is not a number of what the measure counts. */
export function requireLimit(measure: BudgetMeasure, limit: string): void {
  const isMoney = measure === "money";
  if (isMoney ? Amount.safeParse(limit).success : /^\d+$/.test(limit)) return;
  const message = isMoney
    ? "must be an amount with at most 9 digits before the point"
    : `must be a whole number of ${measure.replace("_", " ")}, in a string`;
  throw invalidRequest("body", [{ path: "limit", message }]);
}
