import { referToHeaders, type Refusals } from "./errors.ts";

const string = { type: "string" };
const parameter = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: string,
});
const workspace = parameter("wId", "Id of the workspace");
const trigger = parameter("webhookSourceId", "Id of the trigger");
const json = { "application/json": { schema: {}, example: { action: "opened" } } };
const form = {
  "application/x-www-form-urlencoded": {
    schema: { type: "object", additionalProperties: true },
    example: { payload: "{}" },
  },
};

const received = {
  type: "object",
  properties: {
    success: { type: "boolean", const: true, description: "The event is stored" },
    challenge: { ...string, description: "What Slack asks for, in place of it" },
  },
};

/** The URLs that other services send events to. They need no key. */
export function describeTriggerPaths(refusals: Refusals): Record<string, object> {
  const describe = (of: {
    operationId: string;
    summary: string;
    description: string;
    parameters: readonly object[];
    content: object;
  }) => {
    const { content, ...about } = of;
    const refer = (status: number, ...types: Parameters<Refusals["refer"]>[1]) =>
      refusals.refer(status, types, { rated: false });
    return {
      post: {
        ...about,
        tags: ["triggers"],
        security: [],
        requestBody: { required: true, content },
        responses: {
          200: {
            description: "The event is stored; what it starts follows",
            headers: referToHeaders(["x-request-id"]),
            content: { "application/json": { schema: received, example: { success: true } } },
          },
          400: refer(400, "invalid_request_error"),
          401: refer(401, "webhook_source_auth_error"),
          404: refer(404, "webhook_source_not_found"),
          413: refer(413, "content_too_large"),
          429: refer(429, "rate_limit_error", "budget_exceeded"),
          500: refer(500, "internal_server_error"),
          503: refer(503, "service_unavailable"),
        },
      },
    };
  };
  return {
    "/api/v1/w/{wId}/triggers/hooks/{webhookSourceId}/{secret}": describe({
      operationId: "triggers.receive",
      summary: "Send an event to a trigger that has a secret in its URL",
      description: "Needs no key. The body is JSON of at most 2 MiB.",
      parameters: [workspace, trigger, parameter("secret", "Secret of the trigger")],
      content: json,
    }),
    "/api/v1/w/{wId}/triggers/signed/{webhookSourceId}": describe({
      operationId: "triggers.receiveSigned",
      summary: "Send an event with a signature to a trigger",
      description:
        "Needs no key: the event is signed as the trigger's source does. The body is JSON or a form, of at most 2 MiB.",
      parameters: [workspace, trigger],
      content: { ...json, ...form },
    }),
  };
}
