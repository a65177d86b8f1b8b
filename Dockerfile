# gym-otelcol in an image that enroot and pyxis can start: both run /bin/sh inside before
# anything else, so an image from scratch or a distroless one ends in "failed to execute:
# /bin/sh". From the root of the repository:
#
#   make image BASE=registry.example.com/debian:bookworm-slim     (podman, buildah or docker)
#
# Both bases can be replaced by mirrors or by smaller ones: the first needs Go and make, the
# second a shell with env and mkdir. `make image-archive` makes an image without any engine.
ARG BUILDER=docker.io/library/golang:1.26-bookworm
ARG BASE=docker.io/library/debian:bookworm-slim

FROM ${BUILDER} AS build
ARG COMMIT DATE
WORKDIR /src
COPY . .
RUN make build CMDS=./cmd/gym-otelcol COMMIT="$COMMIT" DATE="$DATE"

FROM ${BASE}
ARG VERSION COMMIT DATE
LABEL org.opencontainers.image.title="gym-otelcol" \
      org.opencontainers.image.description="OpenTelemetry Collector for evaluation jobs" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.revision="$COMMIT" \
      org.opencontainers.image.created="$DATE"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /src/bin/gym-otelcol /usr/local/bin/gym-otelcol
# Fails here, and not in a job, when the base lacks something. A number as the user below
# works without an entry in /etc/passwd; enroot writes its own.
RUN mkdir -p -m 1777 /tmp && env sh -c 'exec /usr/local/bin/gym-otelcol --version'
USER 10001:10001
# No ENTRYPOINT: a job names the program, and an entrypoint would come before it wherever
# enroot is told to honour one.
CMD ["/usr/local/bin/gym-otelcol", "--help"]
