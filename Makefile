# Tasks of people and machines in this project. `make help` lists it.

CARGO ?= cargo

# Everything that the tests need, built at once: with other packages on its command line, cargo compiles the same
# dependencies with other features, and keeps both.
TESTED = --workspace --lib --bins --tests

.PHONY: browser picture dist help setup jdks build demo overhead overhead-sizes mutation test test-jdks soak validity lint unit deny accept accept-bounded evaluation \
	evaluate-build evaluate-sorting evaluate-rome evaluate-scale evaluate-service evaluate-peers evaluate-truth evaluate-first evaluate-drill evaluate-whole \
	measure-sorting measure-rome measure-scale measure-service measure-peers measure-truth measure-first measure-drill measure-whole clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' Makefile

setup: ## install what is missing (Debian packages; needs root or sudo only then)
	scripts/setup.sh

jdks: ## fetch JDK 11, 21 and 25
	scripts/jdks.sh

# Modules of end-to-end tests in which a JVM is no more than a program to measure: files, terminals, messages, choices of the
# scheduler. The installed JDK is enough for them; ALL=1 runs them too.
ANY_JDK = bad_input ending evaluating exporting keys keys_beyond keys_drill language numbered pty reporting reports resuming \
	run_options running serving serving_pages signals stand_in storing terminal together token top verdicts versions written

# The installed JDK, which `unit` has tested already, is left out, except with ALL=1.
test-jdks: setup jdks ## the end-to-end tests of the agent on JDK 11, 21 and 25 (ALL=1: all of them, on the installed one too), and the graphs of all their methods
	SPL_EVERY_CLASS=1 $(CARGO) test --workspace --lib --test asm -- tests::jdk:: asm_has
	$(CARGO) build $(TESTED)
	scripts/jdks.sh $(if $(ALL),--list,--others) | while read -r number home; do \
		echo "end-to-end tests on JDK $$number"; \
		SPL_TEST_JAVA=$$home/bin/java $(CARGO) test --workspace --test e2e -- $(if $(ALL),,$(ANY_JDK:%=--skip %::)) \
			</dev/null || exit 1; \
	done

build: ## build the controller and the agent for release
	$(CARGO) build --release -p spl-controller -p spl-agent

demo: setup build ## measure the ROME example and show the verdicts
	scripts/demo.sh

overhead: setup build ## measure what the agent costs a program (minutes, on an idle machine)
	$(CARGO) run --release -q -p spl-overhead

overhead-sizes: setup build ## what finding workload sizes costs, into docs/evaluation.md (minutes, on an idle machine)
	mkdir -p evaluation/out
	$(CARGO) run --release -q -p spl-overhead -- --only sizes --forks 3 --rounds 60 --json evaluation/out/sizes.json
	evaluation/overhead/table.py

mutation: setup ## change each rule of the scheduler in a copy: some trace has to notice (minutes)
	evaluation/mutation/scheduler.py

test: setup jdks lint unit browser test-jdks deny ## everything that must pass before a commit

lint: ## formatting, clippy, shell scripts, habits of hard prose; rules of `mutation` and the patch of `cuts` fit the code
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	scripts/lint-shell.sh
	scripts/habits.py
	evaluation/mutation/scheduler.py --check
	git apply --check evaluation/accept/data/cuts/second-kind.patch

# Of hostile programs in all modes of all JDKs.
SOAK_SECONDS ?= 3600

# 10,000 changes of classes and 200 killed controllers, where `make test` has 300 and 20.
soak: setup jdks ## lost controllers, many changes, hostile programs, at length (JAVA=path: another java; over an hour)
	$(CARGO) build $(TESTED)
	SPL_SOAK=1 $(if $(JAVA),SPL_TEST_JAVA=$(JAVA)) $(CARGO) test --workspace --test e2e -- \
		--nocapture --test-threads=1 probe_faults metaspace::growth
	evaluation/soak/run.py --spl $(or $(CARGO_TARGET_DIR),target)/debug/spl --seconds $(SOAK_SECONDS)

# End-to-end tests load the agent's library into a JVM. `cargo test` would not build it for them.
unit: ## build the agent and run all tests
	$(CARGO) build $(TESTED)
	$(CARGO) test --workspace

# The pages of recorded runs (report/browser/rome.tar.gz, of `make demo`, and planted.tar.xz, of report/browser/record.sh) and of a drill, by
# the spl of the tests.
browser: setup ## look at reports and the page of a drill in a browser: keyboard, charts, graphs, colours, phones
	scripts/setup.sh --browser
	$(CARGO) build -q $(TESTED)
	report/browser/check.sh $(or $(CARGO_TARGET_DIR),target)/debug/spl

picture: setup ## the README's picture of a report with a failed claim and its reason
	scripts/setup.sh --browser
	$(CARGO) build -q $(TESTED)
	report/browser/check.sh $(or $(CARGO_TARGET_DIR),target)/debug/spl --picture docs/report.png

# After the tests: where cargo-deny is missing it takes minutes to install, and failed tests should be seen first.
deny: ## licences, duplicates and sources of the crates that we depend on
	scripts/setup.sh --deny
	$(CARGO) deny check --hide-inclusion-graph bans licenses sources

dist: setup ## what is given out, in the folder dist: tar, deb, rpm, OCI image, symbols, SBOM (a quarter of an hour)
	scripts/dist.sh

accept: setup build ## run the acceptance scripts in evaluation/accept (hours, on an idle machine)
	scripts/accept.sh

# By the programs of the tests, which `make test` has built.
accept-bounded: setup ## what of them needs no idle machine, in minutes; after `make test`
	scripts/accept.sh --bounded

evaluation: ## measure everything that docs/evaluation.md shows (some 105 minutes, on an idle machine)
	@evaluation/measure.sh sorting rome scale service peers truth first drill whole

evaluate-sorting: ## what measuring costs the sorting example
	@evaluation/measure.sh sorting

evaluate-rome: ## verdicts on the ROME example compared with the thesis
	@evaluation/measure.sh rome

evaluate-scale: ## how much one controller takes in
	@evaluation/measure.sh scale

evaluate-service: ## what the agent costs a web service under load
	@evaluation/measure.sh service

evaluate-peers: ## what a measured call costs, compared with other tools
	@evaluation/measure.sh peers

evaluate-truth: ## reported ratios compared with JMH
	@evaluation/measure.sh truth

evaluate-first: ## how long the first verdict takes (10 minutes; FIRST_OPTIONS="--before OTHER/spl --commit ITS" next to an earlier build)
	@evaluation/measure.sh first

evaluate-drill: ## what a drill costs programs, compared with other tools (up to 40 minutes; DRILL_OPTIONS="--forks 2 --waves 0": 18)
	@evaluation/measure.sh drill

evaluate-whole: ## what it costs to trace whole programs, with JBInsTrace next to it (half an hour; WHOLE_OPTIONS="--forks 1": 6 minutes)
	@evaluation/measure.sh whole

evaluate-build: setup build
	scripts/setup.sh --evaluation
	$(CARGO) build --release -p spl-plots -p spl-overhead -p spl-scale
	mkdir -p evaluation/out

# Forks enough for a spread, in minutes.
SORTING_OPTIONS ?= --rounds 3 --warm-up 6 --waves 3
RELEASE = $(or $(CARGO_TARGET_DIR),target)/release

measure-sorting: evaluate-build
	$(MAKE) -C examples/sorting classes
	evaluation/sorting/run.py --spl $(RELEASE)/spl $(SORTING_OPTIONS)
	evaluation/chapter.py sorting

measure-rome: evaluate-build
	evaluation/rome/run.py --spl $(RELEASE)/spl
	evaluation/chapter.py rome

measure-scale: evaluate-build
	evaluation/scale/run.py --spl $(RELEASE)/spl
	evaluation/chapter.py scale

measure-service: evaluate-build
	evaluation/service/run.py --spl $(RELEASE)/spl
	evaluation/chapter.py service

measure-peers: evaluate-build jdks
	scripts/setup.sh --peers
	$(CARGO) build --release -p spl-peers
	$(RELEASE)/spl-peers costs --spl $(RELEASE)/spl
	evaluation/chapter.py peers

measure-truth: evaluate-build jdks
	scripts/setup.sh --peers
	$(CARGO) build --release -p spl-peers
	$(RELEASE)/spl-peers truth --spl $(RELEASE)/spl
	evaluation/chapter.py truth

# Of evaluation/first/run.py: fewer --rounds, --before.
FIRST_OPTIONS ?=

measure-first: evaluate-build
	evaluation/first/run.py --spl $(RELEASE)/spl $(FIRST_OPTIONS)
	evaluation/chapter.py first

# Of run.py: fewer --forks, other --apps, --append.
DRILL_OPTIONS ?=

measure-drill: evaluate-build
	scripts/setup.sh --drill
	evaluation/drill/run.py --spl $(RELEASE)/spl $(DRILL_OPTIONS)
	evaluation/chapter.py drill

# Of evaluation/whole/run.py: fewer --forks, other --programs, --append.
WHOLE_OPTIONS ?=

measure-whole: evaluate-build
	scripts/setup.sh --whole
	evaluation/whole/run.py --spl $(RELEASE)/spl $(WHOLE_OPTIONS)
	evaluation/chapter.py whole

VALIDITY = $(or $(CARGO_TARGET_DIR),target)/release/spl-validity
validity: setup build ## how often verdicts are wrong, simulated and in JVMs, into docs/evaluation.md (three hours)
	$(CARGO) build --release -p spl-validity
	mkdir -p evaluation/out
	$(VALIDITY) judge --json evaluation/out/judged.json --spl $(RELEASE)/spl --calls 5 --power evaluation/validity/sequential.json
	$(VALIDITY) families --json evaluation/out/families.json --spl $(RELEASE)/spl --calls 5 --runs 100 --only 'lognormal(0.5)' \
		--settings '[evaluator];correction = holm'
	$(VALIDITY) known --json evaluation/out/known.json --spl $(RELEASE)/spl
	$(VALIDITY) simulate --json evaluation/out/validity.json
	$(VALIDITY) fleets --json evaluation/out/fleets.json
	$(VALIDITY) ratios --json evaluation/out/ratios.json --spl $(RELEASE)/spl
	evaluation/validity/table.py

clean: ## remove what was built and measured
	$(CARGO) clean
	rm -rf out evaluation/out
	for example in examples/*/Makefile; do $(MAKE) -s -C "$$(dirname "$$example")" clean || exit 1; done
