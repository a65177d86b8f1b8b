# Everything this repository can make. `make` alone lists it.

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS   += --no-builtin-rules --no-print-directory

# One set of flags for build, vet, test and lint. The build cache is keyed on them: a
# command with other flags compiles the whole collector again, which takes minutes.
# -buildvcs=false costs no cache; the commit comes from LDFLAGS, and a checkout that
# belongs to another user still builds.
export CGO_ENABLED := 0
export GOFLAGS     := -trimpath -tags=remove_all_sd -buildvcs=false

TOOLS    := bin/tools
MANIFEST := builder-config.yaml

# What ocb writes. Everything else in cmd/gym-otelcol is written by hand.
OCB_FILES := $(addprefix cmd/gym-otelcol/,components.go main.go main_others.go main_windows.go)

VERSION_PKG := github.com/gym-otelcol/gym-otelcol/internal/version
# The commit's date and not today's: the same source gives the same bytes.
COMMIT   = $(shell git rev-parse --short=12 HEAD 2>/dev/null)$(shell git diff --quiet HEAD 2>/dev/null || [ $$? -ne 1 ] || echo -dirty)
DATE     = $(shell git log -1 --format=%cI 2>/dev/null)
LDFLAGS  = -s -w -X $(VERSION_PKG).Commit=$(COMMIT) -X $(VERSION_PKG).Date=$(DATE)

# make build CMDS=./cmd/gym-otelcol
CMDS ?= ./cmd/...

# make test PKGS=./internal/... TESTFLAGS='-run Token'
PKGS      ?= ./...
TESTFLAGS ?=

.DEFAULT_GOAL := help

##@ Use

.PHONY: build
build: ## bin/gym-otelcol and bin/gym-submit; the first time takes minutes
	@scripts/go-build -ldflags "$(LDFLAGS)" -o bin/ $(CMDS)

.PHONY: demo
demo: build ## a run against a stand-in engine and backend on this machine, and what it leaves
	@go run ./test/demo

.PHONY: demo-metrics
demo-metrics: build ## the demo, and a VictoriaMetrics with its metrics for Grafana, until Ctrl-C
	@go build -C test/backends/victoriametrics -o $(CURDIR)/$(TOOLS)/victoria-metrics github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics
	@go run ./test/demo -victoria-metrics $(TOOLS)/victoria-metrics

.PHONY: clean
clean: ## remove what was built here (the go command's cache stays)
	rm -rf bin _build dist

##@ Check

.PHONY: test
test: build ## unit and end-to-end tests; names each one skipped and why
	@go build -o $(TOOLS)/report ./test/report
	@go test -json -timeout 45m $(TESTFLAGS) $(PKGS) | $(TOOLS)/report

.PHONY: faults
faults: ## the table of docs/faults.md, each fault as long as stated there
	go test -count=1 -timeout 40m -run '^(TestFault|TestReplay|TestEngineAnd)' ./test/e2e -long -v | grep -E '^ *(---|ok|FAIL|panic)|gone|replayed'

.PHONY: bench
bench: ## benchmarks: ours alone, then against what others ship (bench/, a module of its own)
	go test -run '^$$' -bench . -benchmem ./components/... ./internal/... ./cmd/gym-submit
	cd bench && go test -run '^$$' -bench 'Rename|Identity|Journal' -timeout 10m .
	cd bench && go test -run '^$$' -bench 'Pipeline|Outage' -benchtime 1x -timeout 10m .

.PHONY: measure
measure: ## the figures of docs/measurements.md that a machine with Slurm can take
	go test -count=1 -timeout 40m -run '^(TestMeasure$$|TestFault)' -skip CrashEnumeration ./test/e2e -measure -long -v | grep '^figure: '

.PHONY: lint
lint: $(TOOLS)/golangci-lint ## golangci-lint with gofumpt, shellcheck if it is here
	$(TOOLS)/golangci-lint run --allow-parallel-runners ./...
	cd bench && ../$(TOOLS)/golangci-lint run --allow-parallel-runners ./...
	@scripts/lint-shell

.PHONY: check-generated
check-generated: check-versions ## fails when generated code is not what its sources say
	@scripts/check-unchanged 'make generate' $(MAKE) generate

.PHONY: check-versions
check-versions: $(TOOLS)/ocb ## fails when the manifest, go.mod and VERSION disagree
	@go test -count=1 -run '^TestDrift' ./cmd/gym-otelcol
	@scripts/check-unchanged 'go mod tidy' $(TOOLS)/ocb --config $(MANIFEST) --output-path ./cmd/gym-otelcol \
	  --skip-generate --skip-compilation --skip-strict-versioning=false
	@scripts/check-unchanged 'cd bench && go mod tidy' go -C bench mod tidy

##@ Release

# make dist ARCHES=amd64
ARCHES ?= amd64 arm64
DIST   ?= dist
# SOURCE_DATE_EPOCH, where it is set, is the time of everything that is packed.
EPOCH   = $(or $(SOURCE_DATE_EPOCH),$(if $(DATE),$(shell date -d '$(DATE)' +%s),0))
RELEASE = go run ./distribution/release
RELEASE_FLAGS = -o $(DIST) -programs $(DIST)/build -arches "$(ARCHES)" -epoch $(EPOCH) -commit "$(COMMIT)" \
  -sbom-tool $(TOOLS)/cyclonedx-gomod
VERSION = $(shell cat internal/version/VERSION)

.PHONY: dist
dist: dist-programs $(TOOLS)/cyclonedx-gomod ## dist/*.tar.gz for amd64, arm64 and both, with licences and SBOM
	@$(RELEASE) tarballs $(RELEASE_FLAGS)
	@$(RELEASE) sums -o $(DIST)

.PHONY: dist-programs
dist-programs:
	@for arch in $(ARCHES); do \
	  GOOS=linux GOARCH=$$arch scripts/go-build -ldflags "$(LDFLAGS)" -o $(DIST)/build/$$arch/ ./cmd/...; \
	done

.PHONY: packages
packages: dist $(TOOLS)/nfpm ## dist/*.deb and dist/*.rpm
	@for arch in $(ARCHES); do for packager in deb rpm; do \
	  VERSION=$(VERSION) ARCH=$$arch TREE=$(DIST)/build/tree-$$arch SOURCE_DATE_EPOCH=$(EPOCH) \
	    $(TOOLS)/nfpm package --config distribution/packaging/nfpm.yaml --packager $$packager --target $(DIST)/; \
	done; done >/dev/null
	@$(RELEASE) sums -o $(DIST)

# The image with a container engine: make image BASE=registry.example.com/debian:bookworm-slim
ENGINE     ?= $(firstword $(foreach engine,podman buildah docker,$(shell command -v $(engine) 2>/dev/null)))
IMAGE      ?= gym-otelcol:$(VERSION)
IMAGE_ARGS  = $(if $(BASE),--build-arg BASE=$(BASE)) $(if $(BUILDER),--build-arg BUILDER=$(BUILDER)) \
  --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) --build-arg DATE=$(DATE)

.PHONY: image
image: ## the image of the Dockerfile, with podman, buildah or docker; BASE=… BUILDER=… IMAGE=…
	@test -n "$(ENGINE)" || { echo "there is no podman, buildah or docker; make image-archive needs none" >&2; exit 1; }
	$(ENGINE) build $(IMAGE_FLAGS) $(IMAGE_ARGS) -t $(IMAGE) .

# busybox goes into the image as its shell.
BUSYBOX   ?= /bin/busybox
CA_BUNDLE ?= /etc/ssl/certs/ca-certificates.crt

.PHONY: image-archive
image-archive: dist-programs ## dist/*.oci.tar, an image made without any engine; BUSYBOX=… CA_BUNDLE=…
	@$(RELEASE) image $(RELEASE_FLAGS) -busybox $(BUSYBOX) -ca-bundle $(CA_BUNDLE)
	@$(RELEASE) sums -o $(DIST)

.PHONY: release-check
release-check: ## everything above, checked as an admin would use it, and what a release would contain
	@scripts/release-check $(DIST)

##@ Change

.PHONY: generate
generate: $(TOOLS)/ocb $(TOOLS)/mdatagen ## write the collector's main package, the components' metadata and the dashboards again
	$(TOOLS)/ocb --config $(MANIFEST) --output-path ./cmd/gym-otelcol --skip-get-modules --skip-compilation
	PATH="$(CURDIR)/$(TOOLS):$$PATH" go generate ./components/...
	gofmt -w $(OCB_FILES) components
	go test -count=1 ./internal/dashboard -update

.PHONY: docs
docs: ## write the reference of the commands, the tables of the submit file's keys and the schema again
	go test -count=1 ./cmd/gym-submit -run '^TestReference$$' -update
	go test -count=1 ./internal/config -run '^Test(KeyTables|SchemaIsCurrent)$$' -update

.PHONY: man
man: ## bin/man: the manual pages of gym-submit
	go run -ldflags "$(LDFLAGS)" ./cmd/gym-submit man bin/man

.PHONY: fmt
fmt: $(TOOLS)/golangci-lint ## format the Go code as lint wants it
	$(TOOLS)/golangci-lint fmt ./...

.PHONY: ocb
ocb: $(TOOLS)/ocb ## build the manifest with plain ocb, as a site with a component of its own does
	$(TOOLS)/ocb --config $(MANIFEST) --ldflags="-s -w"
	_build/gym-otelcol components >/dev/null
	@ls -l _build/gym-otelcol

.PHONY: help
help:
	@awk -F ':.*## ' \
	  '/^##@ /{printf "\n%s\n", substr($$0, 5)} /^[a-z-]+:.*## /{printf "  make %-16s %s\n", $$1, $$2}' Makefile

# Tools of exactly the versions in internal/tools/go.mod. They are built there, in
# their own module: `go tool -modfile` in this one resolves imports of this one too.
TOOLS_MOD := internal/tools/go.mod internal/tools/go.sum

$(TOOLS)/ocb: $(TOOLS_MOD)
	go -C internal/tools build -o $(CURDIR)/$@ go.opentelemetry.io/collector/cmd/builder

$(TOOLS)/mdatagen: $(TOOLS_MOD)
	go -C internal/tools build -o $(CURDIR)/$@ go.opentelemetry.io/collector/cmd/mdatagen

$(TOOLS)/golangci-lint: $(TOOLS_MOD)
	@echo "building golangci-lint, about two minutes the first time"
	go -C internal/tools build -o $(CURDIR)/$@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint

# What packs a release has requirements that are at odds with the linters'.
PACKAGING_MOD := internal/tools/packaging/go.mod internal/tools/packaging/go.sum

$(TOOLS)/cyclonedx-gomod: $(PACKAGING_MOD)
	go -C internal/tools/packaging build -o $(CURDIR)/$@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod

$(TOOLS)/nfpm: $(PACKAGING_MOD)
	go -C internal/tools/packaging build -o $(CURDIR)/$@ github.com/goreleaser/nfpm/v2/cmd/nfpm
