import type { Output } from "parley-client";
import { SelectField, TextField } from "../ui/field.tsx";

type Connection = Output<"tools.getConnection">["connection"];
export type Stake = Connection["defaultStake"];

/** Labels for stakes: who approves a call. */
export const stakes = {
  never_ask: "Not required",
  low: "By the user, who can always allow the tool",
  medium: "By the user, who can always allow the tool for an agent",
  high: "By the user, every time",
} as const satisfies Record<Stake, string>;

/** The stake with this id. */
export function stakeOf(value: unknown): Stake | undefined {
  return typeof value === "string" && value in stakes ? (value as Stake) : undefined;
}

/** Fields for the approval and the limits of calls. */
export function LimitFields({ connection }: { readonly connection?: Connection }) {
  return (
    <>
      <SelectField
        label="Approval"
        name="defaultStake"
        defaultValue={connection?.defaultStake ?? "high"}
      >
        <StakeOptions />
      </SelectField>
      <TextField
        label="Timeout (ms)"
        name="timeoutMs"
        type="number"
        min={100}
        max={600_000}
        required
        defaultValue={connection?.timeoutMs ?? 60_000}
      />
      <TextField
        label="Max concurrent calls"
        name="maxConcurrent"
        type="number"
        min={1}
        max={1000}
        required
        defaultValue={connection?.maxConcurrent ?? 20}
      />
    </>
  );
}

/** An option for each stake. */
export function StakeOptions() {
  return Object.entries(stakes).map(([stake, words]) => (
    <option key={stake} value={stake}>
      {words}
    </option>
  ));
}

/** The values of these fields. */
export function readLimits(form: FormData) {
  return {
    defaultStake: stakeOf(form.get("defaultStake")) ?? "high",
    timeoutMs: Number(form.get("timeoutMs")),
    maxConcurrent: Number(form.get("maxConcurrent")),
  };
}
