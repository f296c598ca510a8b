# Deltawatch without AWS: docs/how-to/self-hosting.md.
# The digest in docker-library/repo-info: repos/node/remote/24-bookworm-slim.md. Both lines change together.
FROM node:24.18.1-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7 AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund && npm run build && npm pack ./dist/package --pack-destination /

FROM node:24.18.1-bookworm-slim@sha256:235600a8101ab264e117b1768e925532262668dc9b581ef1dd7d96ced463b8e7
COPY --from=package /deltawatch-*.tgz /tmp/deltawatch.tgz
RUN npm install --prefix /opt/deltawatch --no-audit --no-fund /tmp/deltawatch.tgz && rm -r /tmp/deltawatch.tgz ~/.npm
ENV PATH=/opt/deltawatch/node_modules/.bin:$PATH
# The folder with deltawatch.config.ts and the rules. The state is in its folder .deltawatch.
WORKDIR /watch
RUN mkdir .deltawatch && chown -R node:node .
USER node
VOLUME /watch/.deltawatch
EXPOSE 4100
HEALTHCHECK --start-period=2m CMD ["node", "-e", "fetch('http://127.0.0.1:4100/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["deltawatch"]
CMD ["start"]
