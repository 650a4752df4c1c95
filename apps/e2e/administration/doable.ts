/** A mutation that the server does when it is asked to. */
export interface Doable {
  readonly input: object;
  /** Id of what it is done to, or how that is found in the answer if it makes something. */
  readonly subject: string | ((output: never) => string);
  /** Whether it takes an operator. */
  readonly asOperator?: true;
}
