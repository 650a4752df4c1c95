import type { Output } from "parley-client";

type ProviderError = NonNullable<Output<"runs.get">["providerError"]>;

/** A provider's message, with the provider's request id. */
export function ProviderSaid({ message, requestId }: ProviderError) {
  return (
    <figure className="rounded-md bg-surface px-3 py-2 text-sm">
      <figcaption className="text-muted">
        The provider's message
        {requestId !== null && (
          <>
            , request <code className="font-mono">{requestId}</code>
          </>
        )}
      </figcaption>
      <p className="mt-2 break-words whitespace-pre-wrap">{message}</p>
    </figure>
  );
}
