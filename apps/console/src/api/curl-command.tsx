import { Command } from "../ui/empty-state.tsx";

interface CurlCommandProps {
  readonly method?: "POST" | "PUT";
  /** The path of an endpoint on this server. */
  readonly path: string;
  readonly body: object;
}

/** A request to this server as a command for a shell, whose key is in PARLEY_KEY. */
export function CurlCommand({ method = "POST", path, body }: CurlCommandProps) {
  const lines = [
    `curl -X ${method} ${location.origin}${path}`,
    `-H "Authorization: Bearer $PARLEY_KEY"`,
    `-H "Content-Type: application/json"`,
    `-d '${JSON.stringify(body)}'`,
  ];
  return <Command>{lines.join(" \\\n  ")}</Command>;
}
