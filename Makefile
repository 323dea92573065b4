# The verbs that people type. `make` alone prints them.
.DEFAULT_GOAL := help
.PHONY: help setup build smoke test test-all demo crash bitrot kill-sync converge interrupt pictures live model differential simulate codecs elsewhere bench steady costs bench-compare profile check manifests states format package package-test tour docs autobahn fuzz stress growth attack soak sanitize clean

SHELL := /bin/bash
# What is built here has no warnings; dependents of the root manifest may see some.
export DIVAN_STRICT := 1
SOURCES := Package.swift Packages Tools Tests Docs/examples

help: ## print this list
	@echo "Divan: an embedded JSON document database in Swift that syncs peer to peer."
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the system packages that are missing (Debian, Ubuntu)
	@Tools/scripts/setup

build: setup ## build the libraries, the programs and all tests (debug)
	@Tools/scripts/build --build-tests

smoke: setup ## build and test the layers without sockets, disks and processes; for use between edits
	@Tools/scripts/test cores

test: setup ## run every test once; one package with PACKAGE=DivanBLIP
	@Tools/scripts/test

test-all: test check docs costs ## make test, the checks, and every long trial in a short form
	@QUERIES=2000 Tools/scripts/differential
	@OPERATIONS=20000 Tools/scripts/model
	@Tools/scripts/simulate 200
	@ROUNDS=50 KILLS=30 DAMAGES=1000 Tools/scripts/crash
	@KILLS=30 DOCUMENTS=10000 Tools/scripts/kill-sync
	@Tools/scripts/growth
	@Tools/scripts/attack
	@Tools/scripts/fuzz 20

demo: ## watch two peers sync a real database over TLS; RELEASE=1 builds with optimization
	@Tools/scripts/setup demo
	@Tools/scripts/demo

crash: setup ## kill a writing process 500 times (ROUNDS=…), plain and sealed, and 300 changes of keys (KILLS=…)
	@Tools/scripts/crash

bitrot: setup ## flip 1,000 bits in a database (FLIPS=…, SYNCS=…, SEED=…), and see who notices
	@Tools/scripts/bitrot

kill-sync: setup ## kill one of two syncing processes 300 times (KILLS=…, DOCUMENTS=…, SEED=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/kill-sync

converge: setup ## 3 to 8 databases in circles, killed and set at odds (RUNS=50, ROUNDS=200, SEED=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/converge

interrupt: setup ## interrupt a sync of 100,000 documents 20 times (TIMES=…, DOCUMENTS=…, SCHEME=vectors)
	@SCHEME=$(or $(SCHEME),trees) Tools/scripts/interrupt

pictures: setup ## pull 10,000 documents of 1 MB pictures with them and without (DOCUMENTS=…, BYTES=…, CUTS=…)
	@Tools/scripts/pictures

live: setup ## 1,000 live queries while 100,000 commits are made (QUERIES=…, COMMITS=…, SEED=…)
	@Tools/scripts/live

model: setup ## 100,000 random operations (OPERATIONS=…) on both engines and a model
	@Tools/scripts/model

differential: setup ## 20,000 random questions (QUERIES=…, SEED=…) answered in six ways that must agree
	@Tools/scripts/differential

simulate: setup ## run seeds of the simulated world: make simulate SEEDS=2000
	@Tools/scripts/simulate $(or $(SEEDS),2000)

codecs: setup ## a million random messages (MESSAGES=…, SEED=…) both ways between zlib and ISA-L
	@Tools/scripts/codecs $(or $(MESSAGES),1000000) $(SEED)

elsewhere: ## compile the C for arm64 and for musl, and let an emulated arm64 answer what this machine does
	@Tools/scripts/elsewhere

bench: setup ## measure, each figure beside its floor; also bench.json, and pictures in Docs/performance
	@Tools/scripts/bench

profile: setup ## write where the time of saves, reads, pulls and pushes goes: make profile WORK="save pull"
	@Tools/scripts/profile $(WORK)

steady: ## hold what a document costs, and the ratios that a busy machine leaves alone, to their bounds
	@Tools/scripts/setup steady
	@"$$(Tools/scripts/trial release divan-bench)/divan-bench" run --steady --strict

costs: setup ## hold a document's allocations and system calls to their bounds, in the build of the tests
	@"$$(Tools/scripts/trial debug divan-bench)/divan-bench" run --only costs --strict

bench-compare: ## compare two runs: make bench-compare A=old.json B=new.json
	@"$$(Tools/scripts/trial release divan-bench)/divan-bench" compare "$(A)" "$(B)"

check: setup ## lint, arrows, manifests, documentation, lengths
	swift format lint --strict --parallel --recursive $(SOURCES)
	@"$$(Tools/scripts/trial debug divan-check)/divan-check"

manifests: ## resolve every manifest; with BUILD=1 also build each package alone
	@Tools/scripts/manifests $(if $(BUILD),build)

states: ## draw Docs/states anew from the state machines in the sources
	@"$$(Tools/scripts/trial debug divan-check)/divan-check" states

format: ## lay out the sources as the lint wants them
	swift format --in-place --parallel --recursive $(SOURCES)

package: ## make a .deb, a tarball and a container file in .build/dist
	@Tools/scripts/setup package
	@Tools/scripts/package

package-test: ## install each in a clean Debian, sync from it, upgrade and remove it (root; PREVIOUS=former.deb)
	@Tools/scripts/setup package-test
	@Tools/scripts/package-test

tour: setup ## type Docs/tour.md anew, and draw the picture of the README
	@DIVAN_TOUR=write FILTER=TourTests Tools/scripts/test

docs: ## make the documentation as one site in .build/docs, draw the pictures of the studio, look up every link
	@Tools/scripts/docs

autobahn: setup ## run the Autobahn suite against our WebSocket; writes Docs/autobahn.md
	@Tools/scripts/autobahn

fuzz: setup ## mutate inputs of every decoder (SECONDS=600, KEEP=1 packs what was found worth keeping)
	@Tools/scripts/fuzz $(or $(SECONDS),600)

stress: setup ## send random messages: make stress MESSAGES=1000000 SEED=1
	@Tools/scripts/stress $(or $(MESSAGES),1000000) $(SEED)

growth: setup ## feed each reader its worst inputs at 1, 2, 4 and 8 times a size; print the times
	@Tools/scripts/growth

attack: setup ## attack a listener and print each reaction
	@Tools/scripts/attack

soak: setup ## 200 clients edit while connections are cut: make soak MINUTES=20
	@Tools/scripts/soak $(or $(MINUTES),20)

sanitize: setup ## run the tests under the thread and the address sanitizer
	@Tools/scripts/sanitize

clean: ## remove everything that a build made
	rm -rf .build Packages/*/.build Tools/*/.build Tests/Fuzz/.build
