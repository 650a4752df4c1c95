# syntax=docker/dockerfile:1

FROM node:26.10.0-bookworm-slim AS build
WORKDIR /build
# What is fetched changes less often than what is built.
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml ./
RUN npx -y pnpm@12.21.0 fetch
COPY . .
RUN npx -y pnpm@12.21.0 install --frozen-lockfile --offline \
  && npx -y pnpm@12.21.0 --filter parley-server run build \
  && npx -y pnpm@12.21.0 --filter parley-server --prod --legacy deploy /app

FROM node:26.10.0-bookworm-slim
ENV NODE_ENV=production \
  PARLEY_HOST=0.0.0.0 \
  PARLEY_DATA_DIR=/data
COPY --from=build /app /app
# Of the embedded database; with PostgreSQL it holds nothing but demo.json.
RUN install -d -o node -g node -m 700 /data
WORKDIR /app
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "/app/dist/bin/parley.js"]
CMD ["serve"]
