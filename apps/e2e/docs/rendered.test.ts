import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { renderAccess, renderEnvironment, renderSettings } from "./rendered.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

// `vitest -u` in this folder writes the files anew.
test("docs/access.md says what the endpoint table says", async () => {
  await expect(renderAccess()).toMatchFileSnapshot(`${root}docs/access.md`);
});

test(".env.example holds every setting", async () => {
  await expect(renderEnvironment()).toMatchFileSnapshot(`${root}.env.example`);
});

test("the README's table of settings is the settings' own", async () => {
  const readme = readFileSync(`${root}README.md`, "utf8");
  const between = /(<!-- settings -->\n)[^]*(<!-- \/settings -->)/;
  expect(readme).toMatch(between);
  const expected = readme.replace(
    between,
    (_, open, close) => `${open}${renderSettings()}\n${close}`,
  );
  await expect(expected).toMatchFileSnapshot(`${root}README.md`);
});
