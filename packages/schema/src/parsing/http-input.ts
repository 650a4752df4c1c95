/** The raw parts of an HTTP request, separate so that an error names its part. */
export class HttpInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;

  constructor({ params, query, body }: { params: unknown; query: unknown; body: unknown }) {
    this.params = params;
    this.query = query;
    this.body = body;
  }
}
