import { answerFaults } from "./answer-faults.ts";
import type { Fault } from "./fault.ts";
import { httpFaults } from "./http-faults.ts";

/** Every way in which a hostile server misbehaves, by name. */
export const faults = { ...httpFaults, ...answerFaults } satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
