# The build has every package; the image gets what it makes, and the one package that must fit the platform.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY prisma.config.ts tsconfig.json ./
COPY prisma prisma
COPY scripts scripts
COPY src src
COPY web web
RUN npm run build && rm -r dist/modules

# Optional packages are left out: npm counts Prisma's command line among them (230 MB) and the PostgreSQL of embedded
# mode (60 MB), neither of which belongs beside a real database. Password hashes need their binary all the same.
FROM node:22-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional
COPY --from=build /app/node_modules/@node-rs node_modules/@node-rs

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="Formgate" \
      org.opencontainers.image.description="Gateway for the forms of an agency's client websites" \
      org.opencontainers.image.version="0.4.0" \
      org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 WORKER_PORT=9090
WORKDIR /app
COPY package.json ./
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY prisma prisma
# The account `node`, by its number: Kubernetes cannot tell that a name is not root's.
USER 1000:1000
EXPOSE 3000 9090
# A gateway listens on PORT, a worker on WORKER_PORT. Liveness alone: readiness would have a gateway restarted because
# PostgreSQL is away.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=6 \
  CMD ["node", "-e", "Promise.any([process.env.PORT, process.env.WORKER_PORT].map(async (port) => { if (!(await fetch(`http://127.0.0.1:${port}/healthz`)).ok) throw port; })).catch(() => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["gateway"]
