import type { NextConfig } from "next";

const config: NextConfig = {
  // The workspace checks types and lint itself.
  typescript: { ignoreBuildErrors: true },
};

export default config;
