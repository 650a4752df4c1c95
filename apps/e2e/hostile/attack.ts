/** Whom an attack is made against: one server, or several on one database. */
export interface Target {
  /** The addresses of the APIs, without a path. */
  readonly urls: readonly [string, ...string[]];
  /** The attacker's own workspace, with a key of each role. */
  readonly workspaceId: string;
  readonly adminKey: string;
  readonly userKey: string;
  /** An agent of the workspace. */
  readonly agentId: string;
}

/**
 * What a stranger with a valid key does to a server. It asserts what it is answered; the suite that
 * runs it watches a bystander's workspace in the meantime.
 */
export interface Attack {
  /** Completes the sentence `withstands …`. */
  readonly name: string;
  /** Resolves once the attack is over; takes 40 s at most. */
  run(target: Target): Promise<void>;
}
