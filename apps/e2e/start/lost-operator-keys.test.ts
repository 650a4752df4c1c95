import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { runCli } from "../cli/run-cli.ts";
import { createPlace, openHostedServer, settingsFor } from "../server.ts";

test("operator keys that are lost are replaced, and revoked", async () => {
  await using place = await createPlace();
  await using server = await openHostedServer(place);
  const bootstrap = async (...options: readonly string[]) =>
    runCli(["keys", "bootstrap", ...options], { environment: settingsFor(place) });
  const refused = await bootstrap();
  expect([refused.code, refused.stdout]).toEqual([1, ""]);
  expect(refused.stderr).toContain("If all are lost, add --replace");

  const lost = createRpcClient({ url: server.url, apiKey: server.demo.operatorKey });
  expect((await lost.operatorKeys.list.query({})).operatorKeys).toHaveLength(1);
  const replaced = await bootstrap("--replace");
  expect(replaced.code, replaced.stderr).toBe(0);
  const found = createRpcClient({ url: server.url, apiKey: replaced.stdout.trim() });
  const { operatorKeys } = await found.operatorKeys.list.query({});
  expect(operatorKeys.filter(({ revokedAt }) => revokedAt === null)).toHaveLength(1);
  expect(operatorKeys).toHaveLength(2);
  await expect
    .poll(async () =>
      lost.operatorKeys.list.query({}).then(
        () => "accepted",
        () => "refused",
      ),
    )
    .toBe("refused");
  const { auditEvents } = await found.audit.list.query({ limit: 5 });
  expect(auditEvents.map(({ action }) => action)).toContain("operatorKeys.revoke");
});
