# Two stages: one to build, and one to run, without development dependencies.
FROM node:24-bookworm AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci
COPY . .
RUN npm run build

FROM node:24-bookworm AS production
WORKDIR /app
COPY package.json package-lock.json ./
# Optional and peer packages are for other uses of our dependencies, such as Prisma's command line.
RUN npm ci --omit=dev --omit=optional --omit=peer

FROM node:24-bookworm-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
COPY --from=production /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json LICENSE ./
COPY prisma/migrations ./prisma/migrations
# The default folder of SQLite's file; the user "node" of the image is 1000.
RUN mkdir data && chown 1000:1000 data
USER node
VOLUME /app/data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# The same flags as in package.json.
CMD ["node", "--heap-growing-percent=50", "--max-semi-space-size=16", "--wasm-tiering-budget=1000000000", "dist/main.js"]
