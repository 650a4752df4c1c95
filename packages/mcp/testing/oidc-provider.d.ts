// The package has no types: this is what the tests use of it.
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  /** What middleware is given. */
  export interface Context {
    readonly body?: unknown;
    readonly response: { get(name: string): string };
    set(name: string, value: string): void;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    use(middleware: (context: Context, answer: () => Promise<void>) => Promise<void>): this;
    readonly AccessToken: {
      find(
        token: string,
      ): Promise<
        { readonly accountId?: string; readonly scope?: string; readonly iat: number } | undefined
      >;
    };
    on(
      event: "grant.success",
      listen: (context: {
        readonly oidc: { readonly params?: Readonly<Record<string, unknown>> };
      }) => void,
    ): this;
    on(event: "access_token.destroyed" | "refresh_token.destroyed", listen: () => void): this;
  }
}
