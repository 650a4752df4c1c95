import type { Output } from "parley-client";

export type Budget = Output<"budgets.list">["budgets"][number];
