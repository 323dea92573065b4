# The targets for developers. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help setup build smoke test test-all demo crash bitrot kill-sync converge interrupt pictures live model differential simulate mesh mesh-processes histories codecs elsewhere arm64 bench vectors steady costs bench-compare profile check manifests plain split-test platforms generate format package package-test tour messages docs readability autobahn openapi fuzz stress growth attack soak sanitize clean

SHELL := /bin/bash
# Warnings are errors in this build, but not in dependents of the root manifest.
export DIVAN_STRICT := 1
SOURCES := Package.swift Packages Tools Tests Docs/examples

help: ## list the targets
	@echo "Divan: an embedded JSON document database in Swift with peer-to-peer sync."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install missing system packages (Debian, Ubuntu)
	@Tools/scripts/setup

build: setup ## build libraries, programs and tests (debug)
	@Tools/scripts/build --build-tests

smoke: setup ## quick tests: the layers without sockets, disks and processes
	@Tools/scripts/test cores

test: setup ## run all tests, or those of one package (PACKAGE=DivanBLIP); all seeds with LONG=1
	@Tools/scripts/test

test-all: test check docs costs ## run all tests, the checks, and a short form of each trial
	@QUERIES=2000 Tools/scripts/differential
	@OPERATIONS=20000 Tools/scripts/model
	@Tools/scripts/simulate 200
	@ROUNDS=50 KILLS=30 DAMAGES=1000 Tools/scripts/crash
	@KILLS=30 DOCUMENTS=10000 Tools/scripts/kill-sync
	@Tools/scripts/growth
	@Tools/scripts/attack
	@Tools/scripts/fuzz 20

demo: ## sync a real database between two peers over TLS (RELEASE=1)
	@Tools/scripts/setup demo
	@Tools/scripts/demo

crash: setup ## kill a writing process 500 times (ROUNDS=…), and 300 key changes (KILLS=…)
	@Tools/scripts/crash

bitrot: setup ## flip 1,000 bits in a database and check their detection (FLIPS=…, SYNCS=…, SEED=…)
	@Tools/scripts/bitrot

kill-sync: setup ## kill one of two syncing processes 300 times (KILLS=…, DOCUMENTS=…, SEED=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/kill-sync

converge: setup ## sync 3 to 8 databases in rings, with kills and conflicts (RUNS=50, ROUNDS=200, SEED=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/converge

interrupt: setup ## interrupt a sync of 100,000 documents 20 times (TIMES=…, DOCUMENTS=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/interrupt

pictures: setup ## pull 10,000 documents with and without their 1 MB pictures (DOCUMENTS=…, BYTES=…, CUTS=…)
	@Tools/scripts/pictures

live: setup ## run 1,000 live queries during 100,000 commits (QUERIES=…, COMMITS=…, SEED=…)
	@Tools/scripts/live

model: setup ## compare both engines with a model in 100,000 random operations (OPERATIONS=…)
	@Tools/scripts/model

differential: setup ## run 20,000 random queries in six ways and compare the results (QUERIES=…, SEED=…)
	@Tools/scripts/differential

simulate: setup ## run seeds of the network simulation (SEEDS=2000)
	@Tools/scripts/simulate $(or $(SEEDS),2000)

mesh: setup ## simulate meshes of 50 to 200 peers (SEEDS=200)
	@Tools/scripts/mesh

mesh-processes: setup ## form a mesh of 20 processes, then restart half of them for an hour (PEERS=…, MINUTES=…, SCHEME=vectors, SEED=…)
	@export DIVAN="$$(Tools/scripts/trial release divan)/divan"; for trial in form restart; do \
		Tools/scripts/mesh-processes $$trial || exit 1; done

histories: setup ## sync 10,000 random histories by different routes, and 1,000 times with a model of Sync Gateway (HISTORIES=…, CONVERSATIONS=…, SEED=…)
	@HISTORIES="$(HISTORIES)" CONVERSATIONS="$(CONVERSATIONS)" SEED="$(SEED)" Tools/scripts/histories

codecs: setup ## exchange a million random messages between zlib and ISA-L (MESSAGES=…, SEED=…)
	@Tools/scripts/codecs $(or $(MESSAGES),1000000) $(SEED)

elsewhere: ## compile the C code for arm64 and musl, and compare results on an emulated arm64
	@Tools/scripts/elsewhere

arm64: setup ## build divan for arm64 with Debian's compiler, and sync it, emulated, with this machine (TESTS="DivanJSONTests …")
	@Tools/scripts/arm64 $(if $(TESTS),tests $(TESTS))

bench: setup ## measure performance against C floors; writes bench.json and Docs/performance
	@Tools/scripts/bench

vectors: setup ## compare vector searches with faiss, hnswlib and sqlite-vec (SETS="text 384 128")
	@Tools/scripts/vectors $(SETS)

profile: setup ## profile saves, reads, pulls and pushes (WORK="save pull")
	@Tools/scripts/profile $(WORK)

steady: ## check the figures that are valid on a busy machine against their thresholds
	@Tools/scripts/setup steady
	@"$$(Tools/scripts/trial release divan-bench)/divan-bench" run --steady --strict

costs: setup ## check allocations and system calls per document against their thresholds
	@"$$(Tools/scripts/trial debug divan-bench)/divan-bench" run --only costs --strict

bench-compare: ## compare two runs of make bench (A=old.json B=new.json)
	@"$$(Tools/scripts/trial release divan-bench)/divan-bench" compare "$(A)" "$(B)"

check: setup ## lint the sources, and check dependencies, manifests and documentation
	swift format lint --strict --parallel --recursive $(SOURCES)
	@"$$(Tools/scripts/trial debug divan-check)/divan-check"

manifests: ## resolve every manifest; BUILD=1 also builds each package alone
	@Tools/scripts/manifests $(if $(BUILD),build)

plain: setup ## compile like a dependent what the tests' build optimizes; PRODUCT=Divan compiles all of a product
	@Tools/scripts/plain $(PRODUCT)

split-test: ## split the packages into repositories, and replace one of them in a program
	@Tools/scripts/split-test

platforms: setup ## compile everything but DivanPlatform without the C library (TARGETS="DivanStore …")
	@Tools/scripts/platforms $(TARGETS)

generate: ## write the packages' manifests, the table of packages and Docs/states
	@"$$(Tools/scripts/trial debug divan-check)/divan-check" generate

format: ## format the sources
	swift format --in-place --parallel --recursive $(SOURCES)

package: ## build a .deb, a tarball and a container file in .build/dist
	@Tools/scripts/setup package
	@Tools/scripts/package

package-test: ## test the packages in a clean Debian: install, sync, upgrade, remove (as root; PREVIOUS=old.deb)
	@Tools/scripts/setup package-test
	@Tools/scripts/package-test

tour: setup ## regenerate Docs/tour.md and the picture of the README
	@DIVAN_TOUR=write FILTER=TourTests Tools/scripts/test

messages: setup ## regenerate Tools/command/messages.md
	@DIVAN_MESSAGES=write FILTER=DivanCommandTests.MessagesTests Tools/scripts/test

readability: setup ## measure the readability of help pages and guides (UPDATE=1 records the figures)
	@DIVAN="$$(Tools/scripts/trial debug divan)/divan" Tools/scripts/readability

docs: ## build the documentation site in .build/docs, and check all links
	@Tools/scripts/docs

autobahn: setup ## run the Autobahn test suite against DivanWebSocket; writes Docs/autobahn.md
	@Tools/scripts/autobahn

openapi: setup ## send 10,000 requests per operation to the REST server with schemathesis (REQUESTS=…, SEED=…)
	@Tools/scripts/openapi $(or $(REQUESTS),10000) $(or $(SEED),1)

fuzz: setup ## fuzz every decoder (SECONDS=600; KEEP=1 saves new inputs in Tests/Fuzz/Corpus)
	@Tools/scripts/fuzz $(or $(SECONDS),600)

stress: setup ## send random messages through BLIP and WebSocket (MESSAGES=1000000, SEED=1)
	@Tools/scripts/stress $(or $(MESSAGES),1000000) $(SEED)

growth: setup ## measure how parsing time grows with the size of worst-case inputs
	@Tools/scripts/growth

attack: setup ## attack a listener and print its reactions
	@Tools/scripts/attack

soak: setup ## let 200 clients edit while connections are lost (MINUTES=20)
	@Tools/scripts/soak $(or $(MINUTES),20)

sanitize: setup ## run the tests under the thread and address sanitizers
	@Tools/scripts/sanitize

clean: ## delete all build products
	rm -rf .build Packages/*/.build Tools/*/.build Tests/Fuzz/.build
