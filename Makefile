# make          builds ./pipec
# make test     what must pass before every commit: formatting, vet, all tests; needs no network and no service
# see below for the rest

GO ?= go
FUZZTIME ?= 10s
# Race detection alone needs C.
export CGO_ENABLED ?= 0

.PHONY: build test format vet integration race lint fuzz bench docs clean

build:
	$(GO) build -o pipec ./cmd/pipec

test: format vet
	$(GO) test -timeout 5m ./...
	cd bench && $(GO) test -timeout 5m ./...

# Fails and names the files that gofmt would change.
format:
	@files=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) || exit 1; \
	if [ -n "$$files" ]; then echo "not formatted, run gofmt -w on:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet -tags integration ./...
	cd bench && $(GO) vet ./...

# Larger inputs and real processes: a minute or two.
integration:
	$(GO) test -timeout 15m -tags integration ./...

race:
	CGO_ENABLED=1 $(GO) test -timeout 15m -race ./...

lint:
	$(GO) tool staticcheck -tags integration ./...
	cd bench && "$$(cd .. && $(GO) tool -n staticcheck)" ./...

# Every fuzz target for FUZZTIME. What one finds is kept below its package's testdata/fuzz: commit it with the mend.
fuzz:
	@list=$$($(GO) test -list '^Fuzz' ./...) || { echo "$$list"; exit 1; }; \
	echo "$$list" | awk '/^Fuzz/ {n[++c] = $$1} /^(ok|\?)/ {for (i = 1; i <= c; i++) print $$2, n[i]; c = 0}' | \
	while read -r package target; do \
	  echo "$$target in $$package"; \
	  $(GO) test "$$package" -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 10x || exit 1; \
	done

bench:
	bench/run.sh bars

# Rewrites every golden file and generated page. Look at the difference before you commit it.
docs:
	@packages=$$($(GO) list -f '{{.ImportPath}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}' ./... | \
	awk '/ github.com\/pipec\/pipec\/internal\/golden( |$$)/ {print $$1}'); \
	$(GO) test -timeout 5m -count 1 $$packages -update

clean:
	rm -rf pipec bin out bench/bin bench/results bench/data
