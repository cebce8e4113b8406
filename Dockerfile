# Two stages make files, which are the same for each architecture: they run on that of the builder. The last one runs nothing, so
# that images for other architectures need no emulation.
FROM --platform=$BUILDPLATFORM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
# The commit, for --version and the metrics: docker build --build-arg SOURCE_COMMIT=$(git rev-parse HEAD) .
ARG SOURCE_COMMIT
RUN npm run build
# Without sources, npm run users and the others need no check of whether something must be built.
RUN mkdir data && sed -i 's|scripts/run.mjs \([a-z/]*\)|dist/\1.js|' package.json

FROM --platform=$BUILDPLATFORM node:24-bookworm AS production
WORKDIR /app
COPY package.json package-lock.json ./
# Optional and peer packages are for other uses of our dependencies, such as Prisma's command line.
RUN npm ci --omit=dev --omit=optional --omit=peer

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 npm_config_update_notifier=false npm_config_logs_max=0
COPY --from=production /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/prisma/migrations ./prisma/migrations
# The default folder of SQLite's file; the user "node" of the image is 1000, whom Kubernetes knows by the number only.
COPY --from=build --chown=1000:1000 /app/data ./data
USER 1000:1000
VOLUME /app/data
EXPOSE 3000
# Migrations may take half an hour. Not /readyz, which is 503 while the database is away: who replaces containers that are not
# healthy would end the process then, and lose the clicks that wait in its memory.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30m CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/livez').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The same flags as in package.json.
CMD ["node", "--heap-growing-percent=50", "--max-semi-space-size=16", "--wasm-tiering-budget=1000000000", "dist/main.js"]
