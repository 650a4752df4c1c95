import type { StepRecord } from "@parley/agent";
import { type BilledCall, toDecimal } from "@parley/core";
import type { ModelPair } from "@parley/schema";

const isOf = (call: BilledCall, { providerId, modelId }: ModelPair): boolean =>
  call.providerId === providerId && call.modelId === modelId;

/** What the calls cost that were counted; undefined if none had a price. */
function amountOf(calls: readonly BilledCall[]): string | undefined {
  const amounts = calls.flatMap(({ amount, isEstimated }) =>
    amount === null || isEstimated ? [] : [amount],
  );
  return amounts.length === 0 ? undefined : toDecimal(amounts.reduce((a, b) => a + b));
}

interface Answered {
  readonly model?: ModelPair | undefined;
  readonly passedOver?: readonly { readonly model: ModelPair }[] | undefined;
}

/** A step with what its calls cost: those of the model that answered, and of those that gave way to it. */
export function withAmounts<Step extends Answered>(
  record: Step,
  asked: ModelPair,
  calls: readonly BilledCall[],
): Step {
  const priced = <Part extends object>(part: Part, model: ModelPair): Part => {
    const amount = amountOf(calls.filter((call) => isOf(call, model)));
    return amount === undefined ? part : { ...part, amount };
  };
  const { passedOver, model = asked } = record;
  const step = priced(record, model);
  return {
    ...step,
    ...(passedOver && { passedOver: passedOver.map((one) => priced(one, one.model)) }),
  };
}

/** The calls of a step as the ledger has them: with what the step used, and which gave way to another model. */
export function ofStep(
  calls: readonly BilledCall[],
  record: Pick<StepRecord, "model"> | undefined,
  asked: ModelPair,
  used: Pick<BilledCall, "origin" | "skills" | "tools">,
): BilledCall[] {
  const answered = record?.model ?? asked;
  return calls.map((call) =>
    isOf(call, answered) ? { ...call, ...used } : { ...call, origin: "fallback" },
  );
}
