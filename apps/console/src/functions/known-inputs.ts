/** Inputs that are remembered; the oldest is forgotten first. */
const MAX_INPUTS = 200;

const inputs = new Map<string, unknown>();

/** Remembers the input of an invocation that this page began: the server gives none back. */
export function rememberInput(invocationId: string, input: unknown): void {
  inputs.set(invocationId, input);
  const [oldest] = inputs.keys();
  if (inputs.size > MAX_INPUTS && oldest !== undefined) inputs.delete(oldest);
}

/** Whether the input of an invocation is remembered. */
export function knowsInput(invocationId: string | undefined): invocationId is string {
  return invocationId !== undefined && inputs.has(invocationId);
}

/** The input of an invocation that this page began. */
export function inputOfInvocation(invocationId: string): unknown {
  return inputs.get(invocationId);
}
