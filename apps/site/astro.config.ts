import { readFileSync } from "node:fs";
import path from "node:path";
import starlight from "@astrojs/starlight";
import { defineConfig, passthroughImageService } from "astro/config";
import { BASE, menuOf, root } from "./pages.ts";
import { withoutInline } from "./without-inline.ts";

const { version } = JSON.parse(readFileSync(path.join(root, "apps/cli/package.json"), "utf8"));

export default defineConfig({
  base: BASE,
  trailingSlash: "always",
  publicDir: "./.pages/public",
  image: { service: passthroughImageService() },
  build: { inlineStylesheets: "never" },
  vite: { build: { assetsInlineLimit: 0 } },
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: `Parley ${version}`,
      description: "A self-hostable server for conversational agents",
      sidebar: [
        ...menuOf(readFileSync(path.join(root, "docs/README.md"), "utf8")),
        { label: "Try each call", link: "/api" },
      ],
      pagination: false,
      credits: false,
      customCss: ["./src/site.css"],
      favicon: "/favicon.svg",
    }),
    withoutInline(),
  ],
});
