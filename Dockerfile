# The image of a worker: docker build -t reprise .
#
# It has the compiled package with the bundle of the workflows and its production dependencies, and runs as a user without
# a name. It writes to /data (logs, bundles of custom orchestrators) and /tmp alone, so its root may be read-only.
FROM node:24.21.0-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS node

FROM node AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY src src
RUN node --conditions=reprise-source scripts/build.ts
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund
# Temporal's native part is there for five systems, 27 MB each.
RUN find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 ! -name "*-unknown-linux-gnu" -exec rm -r {} +
# What is mounted in the place of a folder gets its mode, whatever it asks for.
RUN mkdir -p /build/empty/config && mkdir -m 700 /build/empty/data

FROM node
LABEL org.opencontainers.image.title="Reprise worker" \
      org.opencontainers.image.description="Runs teams of language-model agents as durable workflows on Temporal" \
      org.opencontainers.image.source="https://github.com/reprise-agents/reprise" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production \
    REPRISE_HOME=/data \
    XDG_CACHE_HOME=/tmp \
    REPRISE_HEALTH_PORT=8081
COPY --from=build --chown=10001:10001 /build/empty /
COPY --from=build /build/node_modules /reprise/node_modules
COPY --from=build /build/dist /reprise/dist
COPY package.json LICENSE /reprise/
COPY bin /reprise/bin
COPY docs /reprise/docs
COPY schemas /reprise/schemas
COPY templates /reprise/templates
WORKDIR /config
USER 10001:10001
# It lets calls under way finish before it ends.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.REPRISE_HEALTH_PORT}/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/reprise/bin/reprise.mjs"]
CMD ["worker", "--extensions", "/config"]
