# The commands a person types; each does all set-up it needs.

# The packages that cairn needs, and those that only the tests need: servers, and programs to compare with.
PACKAGES = git pkg-config libgit2-dev libcurl4-openssl-dev libdeflate-dev libsqlite3-dev \
  libturbojpeg0-dev libpng-dev libwebp-dev libexiv2-dev libheif1 libtiff6
TEST_PACKAGES = git-lfs libsixel-bin libheif-examples python3-jsonschema libimage-exiftool-perl \
  libjpeg-turbo-progs webp openssh-server nginx-light fcgiwrap apache2-utils openssl zbar-tools python3-venv \
  zsh fish strace nodejs node-typescript rclone apache2-bin age zstd less gitolite3 \
  proftpd-core proftpd-mod-crypto python3-swift

# What only making and testing packages needs, on Debian 12.
PACKAGE_TOOLS = g++ cmake patchelf zstd lintian debootstrap dpkg-dev libexpat1-dev zlib1g-dev libpcre2-dev \
  libhttp-parser-dev libmbedtls-dev

# On Linux, link the Swift library statically, so that the program is a single file; Apple's systems have
# the library. It would export all symbols, which Swift's runtime searches at each start.
STATIC = $(if $(filter Linux,$(shell uname)),--static-swift-stdlib -Xlinker --no-export-dynamic)
# Without the last option, the program finds each generic type by a name when it first uses it, and
# searches its 11,000 protocol conformances for what the type requires: a fifth of the time of `cairn label`.
RELEASE = -c release -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors

.PHONY: help setup libraries build release install package-program tarball deb wheel packages manual demo test test-python test-completion test-javascript test-site test-packages test-page test-training test-photos pictures page-tools openapi simulate mutants kill fuzz sanitize bench bench-lfs bench-delay bench-page bench-start bench-python bench-photos bench-tables bench-peers docs test-docs format lint clean

help:
	@echo "make demo     build cairn, and show two devices that label offline and sync"
	@echo "make test     build cairn, and run all tests"
	@echo "make test-page   test the page of cairn serve in Chromium and Firefox: BROWSERS=firefox ONLY=grid PHOTOS=DIR;"
	@echo "                PHOTOS is a folder of real photos to use, too"
	@echo "make test-training   load exports with torchvision and ultralytics, and photos with PyTorch (downloads gigabytes)"
	@echo "make test-photos PHOTOS=DIR   train on real photos, correct, train again and compare; each folder is a class"
	@echo "make pictures   make the pictures of the page in the documentation"
	@echo "make openapi COUNT=10   test the server of the page with random requests, COUNT per route"
	@echo "make packages   build a tarball, a Debian package and a wheel in .build/package (or one: make deb);"
	@echo "                make test-packages installs each in fresh Debian systems"
	@echo "make test-python test-completion   test the Python package, and completion in bash, zsh and fish"
	@echo "make test-javascript   check the types of the page's modules, and run their unit tests"
	@echo "make docs     build cairn, and the site of the documentation in .build/docs; make test-site checks its links,"
	@echo "              and make test-docs opens its pages in Chromium"
	@echo "make install  build an optimized cairn, and copy it to PREFIX/bin (PREFIX=/usr/local)"
	@echo "make simulate SEEDS=0-9999   simulate many devices with faults, one run per seed"
	@echo "make mutants  break the rules of merges and erasures one by one; the simulation must detect each"
	@echo "make kill COUNT=1000   kill commands before they write to the disk; the next command must work"
	@echo "make kill ERRORS=EIO,ENOSPC,EMFILE,EINTR COUNT=1000   make system calls fail instead"
	@echo "make kill ERRORS=SHORT   limit each read and write to a few bytes; the commands must succeed"
	@echo "make fuzz TARGET=document RUNS=1000000   feed random bytes to a reader of outside data; without TARGET, to each"
	@echo "make sanitize   run all tests with the address, undefined-behavior and thread sanitizers"
	@echo "make bench    compare cairn with similar programs: SIZES=\"12000 120000\" ONLY=\"push merge\" RUNS=15"
	@echo "make bench-lfs COUNT=1000   transfer images over Git LFS, compared with git-lfs"
	@echo "make bench-delay DELAY=100   sync with a server that is 100 ms away, compared with git and git-lfs"
	@echo "make bench-page COUNT=100000   measure the page of cairn serve in headless Chromium"
	@echo "make bench-start OTHER=PROGRAM   compare the time to start with that of another build, such as one of main"
	@echo "make bench-python COUNT=10000   labels and reads per second of the Python package"
	@echo "make bench-photos COUNT=1000   add and predict photos, compared with vipsthumbnail"
	@echo "make bench-tables   import tables of labels, compared with pandas"
	@echo "make format   format the code; make lint checks it"

# Installs what Debian does not have from PyPI, into .build/python.
setup:
	@Tests/Scripts/setup $(PACKAGES) $(TEST_PACKAGES)
	@Tests/Scripts/python

libraries:
	@Tests/Scripts/setup $(PACKAGES)

# On Linux, debug builds use Tests/Scripts/swiftc as their compiler; the package manager looks for the
# compiler's libraries beside it. A plain `swift build` or `swift test` uses another compiler: it
# compiles everything again, and so does the next debug build from here.
COMPILER = $(if $(filter Linux,$(shell uname)),.build/compiler/bin/swiftc)
DEBUG_BUILD = $(if $(COMPILER),SWIFT_EXEC="$(CURDIR)/$(COMPILER)") swift build
.build/compiler/bin/swiftc: Tests/Scripts/swiftc
	mkdir -p $(@D)
	ln -sfn "$$(dirname "$$(readlink -f "$$(command -v swiftc)")")/../lib" .build/compiler/lib
	install -m 755 $< $@

build: libraries $(COMPILER)
	$(DEBUG_BUILD)

# libgit2 is linked statically where that is possible: `cairn label` starts about 3 ms earlier.
# A build does not notice that an archive has changed: then the program is linked again.
release: libraries
	path=$$(Sources/Packaging/static-libgit2 .build/libgit2) && \
	  if [ .build/libgit2/libgit2.a -nt .build/release/cairn ]; then rm -f .build/release/cairn; fi && \
	  PKG_CONFIG_PATH="$$path$${PKG_CONFIG_PATH:+:$$PKG_CONFIG_PATH}" swift build $(RELEASE) --product cairn $(STATIC)

BIN = $(DESTDIR)$(or $(PREFIX),/usr/local)/bin
install:
	@Tests/Scripts/writable "$(BIN)"
	@$(MAKE) --no-print-directory release
	install -D -m 755 .build/release/cairn "$(BIN)/cairn"

# The program of the packages, which needs glibc alone.
package-program: libraries
	@Tests/Scripts/setup $(PACKAGE_TOOLS) python3-venv
	Sources/Packaging/program $(RELEASE)

tarball deb wheel: package-program
	Sources/Packaging/$@

# All packages, with their digests; SIGNING_KEY=KEY signs these with gpg.
packages: tarball deb wheel
	SIGNING_KEY=$(SIGNING_KEY) Sources/Packaging/sums

# Writes the manual pages to .build/man.
manual: build
	Sources/Packaging/manual .build/debug/cairn .build/man/man1

# The site of the documentation, with all commands, types of the library and the Python package; checks its internal links.
docs: build
	@Tests/Scripts/setup python3-venv
	@Tests/Scripts/python
	Sources/Packaging/symbols .build/symbols
	$(PYTHON) Sources/Packaging/site .build/docs .build/debug/cairn .build/symbols

# All internal links, and the pages of commands and types, in less than a minute and without a browser.
test-site: setup build
	Sources/Packaging/symbols .build/symbols
	CAIRN=$(CURDIR)/.build/debug/cairn SYMBOLS=$(CURDIR)/.build/symbols $(PYTHON) -m pytest -q Tests/Docs

test-docs: test-site docs page-tools
	$(PAGE_PYTHON) Tests/Docs/check .build/docs

demo: release
	@Tests/Scripts/setup python3
	@PATH="$(CURDIR)/.build/release:$$PATH" Tests/Demo/run

# A build that is not from scratch does not notice that a target lacks a dependency.
test: setup $(COMPILER)
	Tests/Scripts/dependencies
	$(DEBUG_BUILD) --build-tests
	@Tests/Scripts/test
	@$(MAKE) --no-print-directory test-python test-completion test-javascript test-site

# The Python package with the program of the debug build.
PYTHON = .build/python/bin/python3
test-python: setup build
	cd Sources/Python && $(CURDIR)/$(PYTHON) -m mypy cairn_data $(CURDIR)/Tests/Python/*.py
	CAIRN=$(CURDIR)/.build/debug/cairn PYTHONPATH=Sources/Python $(PYTHON) -m pytest -q Tests/Python

test-completion: setup build
	CAIRN=$(CURDIR)/.build/debug/cairn $(PYTHON) -m pytest -q Tests/Completion

# The modules of the page: their types, and their unit tests.
test-javascript: setup
	Tests/Page/check

# Installs the packages in systems of their own, made with debootstrap, and does the main job there.
test-packages: packages
	Tests/Packages/run $(RELEASES)

# Sends random requests to the server of the page, and compares the responses with its OpenAPI document.
openapi: build page-tools
	Tests/Page/openapi .build/debug/cairn $(COUNT)

# Walks the page in both browsers; the screenshots are in .build/page.
PAGE_PYTHON = .build/page/python/bin/python3
BROWSERS ?= chromium firefox
test-page: build page-tools
	@for browser in $(BROWSERS); do \
	  timeout 3600 $(PAGE_PYTHON) Tests/Page/walk .build/debug/cairn --browser $$browser \
	    $(if $(PHOTOS),--photos "$(PHOTOS)") $(foreach text,$(ONLY),--only $(text)) || exit 1; \
	done

# Writes Sources/Cairn/Documentation.docc/*.png.
pictures: build page-tools
	$(PAGE_PYTHON) Tests/Page/pictures .build/debug/cairn

# Loads exports as a training does.
test-training: build
	@Tests/Scripts/setup python3-venv
	@Tests/Scripts/python Tests/Training/requirements.txt .build/training
	.build/training/bin/python3 Tests/Training/check .build/debug/cairn
	CAIRN=$(CURDIR)/.build/debug/cairn PYTHONPATH=Sources/Python \
	  .build/training/bin/python3 -m pytest -q Tests/Python/test_views.py -k pytorch

# Trains on photos that are not part of the project, and trains again after corrections.
test-photos: setup build
	$(PYTHON) Tests/Training/loop .build/debug/cairn "$(or $(PHOTOS),$(error PHOTOS=DIR is missing))"

page-tools:
	@Tests/Scripts/setup chromium firefox-esr python3-venv
	@Tests/Scripts/python Tests/Page/requirements.txt .build/page/python

SEEDS ?= 0-999
simulate: setup
	swift build $(RELEASE) --product simulate
	.build/release/simulate $(SEEDS)

mutants: setup
	SEEDS=$(SEEDS) Tests/Scripts/mutants

# Without COUNT, all cases: some thousands. With ERRORS=EIO,ENOSPC, system calls fail instead. Only
# ERRORS=SHORT needs clang, which comes with Swift.
kill: release
	Tests/Scripts/setup strace python3
	Tests/Scripts/kill .build/release/cairn $(if $(COUNT),--count $(COUNT)) $(if $(SEED),--seed $(SEED)) \
	  $(if $(ERRORS),--errors $(ERRORS))

# Tests/Fuzz/README.md lists the targets. Debug builds check each precondition; -O makes them fast.
fuzz: setup $(COMPILER)
	$(DEBUG_BUILD) --package-path Tests/Fuzz --scratch-path .build/fuzz --sanitize fuzzer -Xswiftc -O
	Tests/Fuzz/run .build/fuzz/debug/Fuzz $(or $(TARGET),all) $(or $(RUNS),1000000)

# Swift has no sanitizer for undefined behavior on Linux: the C and C++ targets trap, in the build for
# the address sanitizer. Built with -O, since code with a sanitizer is slow. Libraries keep some
# memory until the process ends, which is no leak. A test ends cairn with SIGSEGV, which must stay one.
# The thread sanitizer would wait for a second at the end of each of the thousands of programs.
SANITIZERS ?= address thread
SANITIZE_address = -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined
SANITIZE_thread = $(addprefix -Xlinker $(CURDIR)/,$(SANITIZER_OBJECT))
sanitize: $(SANITIZERS:%=sanitize-%)

sanitize-%: setup $(COMPILER)
	$(DEBUG_BUILD) --build-tests --scratch-path .build/$* --sanitize $* -Xswiftc -O $(SANITIZE_$*)
	BUILD=.build/$* ASAN_OPTIONS=$(or $(ASAN_OPTIONS),detect_leaks=0:handle_segv=0) \
		TSAN_OPTIONS=$(or $(TSAN_OPTIONS),handle_segv=0:atexit_sleep_ms=0) Tests/Scripts/test

SANITIZER_OBJECT = $(if $(filter Linux,$(shell uname)),.build/thread-sanitizer.o)
sanitize-thread: $(SANITIZER_OBJECT)
.build/thread-sanitizer.o: Tests/Scripts/thread-sanitizer.c
	mkdir -p $(@D)
	clang -O2 -fPIC -Wall -Werror -c $< -o $@

BENCH = Tests/Benchmarks
SIZES ?= 12000 120000
bench: release
	swift build --package-path $(BENCH) --scratch-path .build/benchmarks -c release
	.build/benchmarks/release/Benchmarks $(SIZES) --cairn .build/release/cairn \
	  --output $(BENCH)/results --programs $(BENCH)/results/peers/bin \
	  $(addprefix --only ,$(ONLY)) $(addprefix --runs ,$(RUNS))

# Transfers images over Git LFS, compared with git-lfs.
bench-lfs: release
	$(BENCH)/LFS/run .build/release/cairn $(or $(COUNT),1000)

# Syncs with a server that is far away, compared with git and git-lfs.
bench-delay: release
	$(BENCH)/Delay/run .build/release/cairn $(DELAY)

# Measures the page in headless Chromium; the dataset is kept in .build/page/benchmark.
bench-page: release page-tools
	@Tests/Scripts/setup strace
	$(PAGE_PYTHON) $(BENCH)/Page/run .build/release/cairn $(or $(COUNT),100000) $(foreach text,$(ONLY),--only $(text))

# Compares how long `cairn label` takes with that of OTHER, a program built from another revision.
bench-start: release
	Tests/Scripts/start-time .build/release/cairn $(OTHER)

bench-python: setup release
	CAIRN=$(CURDIR)/.build/release/cairn PYTHONPATH=Sources/Python $(PYTHON) Tests/Python/speed.py $(COUNT)

# Adds and predicts photos, compared with programs that do parts of this.
bench-photos: release
	Tests/Scripts/setup libvips-tools libjpeg-turbo-progs libimage-exiftool-perl curl
	$(BENCH)/Photos/run .build/release/cairn $(or $(COUNT),1000)

bench-tables: release
	$(BENCH)/Tables/run .build/release/cairn $(or $(LABELS),1000000)

# Installs the programs to compare with that few people have; the report leaves out missing ones.
bench-peers:
	Tests/Scripts/setup git-annex python3-venv
	python3 -m venv $(BENCH)/results/peers
	$(BENCH)/results/peers/bin/pip install --quiet dvc oxenai

format:
	swift format --configuration .swift-format --in-place --recursive --parallel Sources Tests Package.swift

lint:
	swift format lint --configuration .swift-format --strict --recursive --parallel Sources Tests Package.swift
	Tests/Scripts/glossary
	Tests/Scripts/public-api
	Tests/Scripts/mutants --check
	Tests/Scripts/dependencies

clean:
	rm -rf .build
