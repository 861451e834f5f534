# SPDX-License-Identifier: GPL-3.0-or-later
# freefall - one Makefile, read from the top.
#
#   make            the programs, into build/<variant>/
#   make deps       install what all of this needs (tools/deps --list says what and why)
#   make test       set up, build, run every test; last line: N passed, N failed
#   make lint       layout and static analysis of every source
#   make demo       set up, build, show what freefall can do on this machine
#   make perf       measure against the peers (ratios, instruction counts)
#   make estimator-report   the vision filter over 200 drawn runs, against the best there is
#   make soak       a minute of bus cycles on the simulated wire, with its figures asserted
#   make fuzz       random frames at both ends of the bus, FUZZ_TIME seconds each (clang)
#   make install    PREFIX=/usr/local DESTDIR=
#   make clean      remove what was built (make distclean: also what was fetched)
#
#   RT=preempt|cobalt     real-time platform; cobalt asks XENO_CONFIG (xeno-config)
#   ARCH=x86-64-v3        instruction set for -march (default x86-64, runs everywhere; native: this machine)
#   TRACE=auto|on|off     LTTng trace marks; auto: when lttng-ust is installed
#   SANITIZE=1            address and undefined-behaviour sanitizers
#   SOEM_DIR= UNITY_DIR=  sources of your own in place of the fetched ones
#   V=1                   show every command whole

RT       ?= preempt
ARCH     ?= $(if $(filter x86_64,$(shell uname -m)),x86-64)
TRACE    ?= auto
SANITIZE ?=
PREFIX   ?= /usr/local
JOBS     ?= $(shell nproc)
VERSION  := 0.1.0

# What there is, in reading order. A program is a list of lists; tests link the same objects.
MODEL    := trig mat linear so3 se3 random body lane multibody multibody_frame multibody_mass multibody_bias \
            multibody_inverse multibody_solve constraint motion taskspace rigid mapping nominal client servicer capture modes \
            passivity contact orbit sensors friction industrial industrial_inverse
ESTIMATION := ftcomp velocity
DRIVERS  := process_data dc identity kind ethercat setup coe recovery watch ft cia402 chain airboard escalation
# In place of SOEM's oshw/linux/nicdrv, in its archive: replies are checked before SOEM sees them.
SOEM_PORT := drivers/nicdrv drivers/port
CONFIG   := units schema source message syntax tree inertia quantity value store unknown walk assign config \
            errors xml urdf urdf_joint
CORE     := platform exchange mcap mcap_summary mcap_read build bus safety limit inspect flight control obsw_builtin plugin scenario scenario_obsw \
            obsw_memory obsw_process \
            histogram pace \
            record record_viewer obsw_tape
TOOLS    := command scan inject dispatch help json version cpus finding machine nic trial doctor doctor_kernel \
            doctor_processor doctor_interrupts doctor_memory doctor_network doctor_storage doctor_print keys \
            jsonschema state reach summary numbers model latency obsw_host facility loop account \
            verdict sim simulate recording table export replay
LAB      := esc syncman fmmu al sii clock od pdo sdo sdoinfo mailbox devices device_io device_board device_ft \
            device_cia402 device_drive plant slave slave_state topology segment cable words verb verb_device fault \
            layout lab wire control options
PLANT    := ask integrate robot manipulator sensor grip world reference
TESTS    := trig mat linear so3 se3 soem random mujoco body multibody multibody_frame multibody_mass \
            port process_data dc identity ft cia402 chain airboard escalation ethercat catalogue \
            multibody_bias multibody_inverse multibody_solve constraint motion taskspace rigid mapping nominal servicer capture \
            units schema message tree value config mutations \
            urdf urdf_broken build state reach client modes safety limit control \
            json platform command cpus finding machine trial doctor doctor_print passivity latch \
            contact orbit sensors industrial \
            esc mailbox clock segment devices fault layout \
            exchange mcap record \
            histogram pace hygiene \
            scenario friction verdict fidelity equivalence lab_robot ftcomp velocity lab_manipulator lab_sensor obsw_builtin plugin lab_reference \
            lab_world obsw_memory obsw_process lab_grip lab_integrate
VIRTUALS := ethercat catalogue
ROBOTS   := robots robots_model engine freeflyer scene
JUDGE    := judge mujoco mjcf
CHECKS   := cli config model sim replay obsw exchange mcap lab bench_soem bits cobalt house

# Robot links: the link as pure functions and its thread, the robot on the other side, their tests.
DRIVERS  += robot limiter abc rsi_number rsi_model rsi_parse rsi_format rsi_clock rsi_setpoint rsi_session udp
CORE     += rsi_link robots
TOOLS    += links rsi_config
LAB      += krc krc_text krc_spoil post arms verb_arm
TESTS    += limiter rsi_parse rsi_cases
CHECKS   += rsi

# Can the industrial robots carry out a mission?
CORE     += cell
TOOLS    += capsule margin feasible check
TESTS    += check
CHECKS   += check

# The vision estimator, from file and wire to the cycle.
ESTIMATION += target target_pose sighting ekf window adapt start vision principal predict paper handeye
CORE     += sight
DRIVERS  += vision_message vision_link
TOOLS    += poses estimate handeye
TESTS    += target vision predict paper handeye vision_message
CHECKS   += estimate
CAMPAIGN := tumble campaign campaign_report

SOEM_DIR  ?= build/deps/soem
UNITY_DIR ?= build/deps/unity

# Platform ---------------------------------------------------------------------------------------
ifeq ($(RT),cobalt)
    XENO_CONFIG ?= xeno-config
    XENO_CORE   := $(shell $(XENO_CONFIG) --core 2>/dev/null)
    ifeq ($(XENO_CORE),)
        $(error RT=cobalt needs Xenomai 3: "$(XENO_CONFIG)" was not found; install libcobalt or name its script with XENO_CONFIG=)
    else ifneq ($(XENO_CORE),cobalt)
        $(error RT=cobalt needs a Cobalt core: "$(XENO_CONFIG) --core" says "$(XENO_CORE)"; build Xenomai with --with-core=cobalt)
    endif
    XENO       := $(XENO_CONFIG) --skin=posix --no-auto-init
    RT_CFLAGS  := $(shell $(XENO) --cflags)
    RT_LDFLAGS := $(shell $(XENO) --ldflags) -Wl,-rpath,$(shell $(XENO_CONFIG) --libdir)
else ifeq ($(RT),preempt)
    RT_CFLAGS  := -D_GNU_SOURCE
    RT_LDFLAGS := -lpthread -lrt
else
    $(error RT=$(RT): expected preempt or cobalt)
endif

# Libraries --------------------------------------------------------------------------------------
LIBS     := libfyaml libxml-2.0 libzstd zlib
MISSING  := $(strip $(foreach lib,$(LIBS),$(if $(shell pkg-config --exists $(lib) 2>/dev/null && echo y),,$(lib))))
LTTNG    := $(shell pkg-config --exists lttng-ust 2>/dev/null && echo 1)
ifeq ($(filter auto on off,$(TRACE)),)
    $(error TRACE=$(TRACE): expected auto, on or off)
endif
ifeq ($(TRACE)$(LTTNG),on)
    $(error TRACE=on needs lttng-ust: install liblttng-ust-dev, or take TRACE=auto)
endif
TRACING  := $(if $(filter off,$(TRACE)),,$(LTTNG))
LIBS     += $(if $(TRACING),lttng-ust)
# Tables for other programs, each when its library is installed. Loaded by freefall export alone: HDF5 brings thirty libraries.
HDF5     := $(shell pkg-config --exists hdf5 2>/dev/null && echo 1)
MATIO    := $(shell pkg-config --exists matio 2>/dev/null && echo 1)
TABLES   := $(if $(HDF5),hdf5) $(if $(MATIO),matio)
TABLES_CFLAGS := $(if $(strip $(TABLES)),$(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(TABLES))))
ifeq ($(MISSING),)
    LIB_CFLAGS  := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(LIBS)))
    LIB_LDFLAGS := $(shell pkg-config --libs $(LIBS)) -lm
endif

# Compiler ---------------------------------------------------------------------------------------
COMMA := ,
GCC   := $(if $(shell $(CC) -dM -E -x c /dev/null | grep __clang__),,1)
OUT   := build/$(RT)$(if $(ARCH),-$(ARCH))$(if $(GCC),,-clang)$(if $(SANITIZE),-sanitize)
WARN  := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wdouble-promotion -Wfloat-equal \
         -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wundef -Wvla \
         -Wformat=2 -Wnull-dereference $(if $(GCC),$(if $(SANITIZE),,-Wstack-usage=16384)) -Werror
# gcc fills and copies blocks with "rep stos", some 30 cycles each to begin; a few wide stores are sooner done (a step of the plant: 5 %).
BLOCKS := $(if $(GCC),$(if $(filter x86_64,$(shell uname -m)),$(foreach b,memset memcpy,-m$b-strategy=unrolled_loop:512:noalign$(COMMA)libcall:-1:noalign)))
# Bit-reproducible: no contraction, no fast math. sqrt() inline, because errno is never read.
OPT   := $(if $(SANITIZE),-O1 -g -fsanitize=address$(COMMA)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer,-O3 -g) \
         $(if $(ARCH),-march=$(ARCH)) -ffp-contract=off -fno-math-errno $(BLOCKS)
FLAGS  = -std=c11 $(OPT) $(RT_CFLAGS) -I. -I$(OUT) $(SOEM_INCLUDES:%=-isystem %) $(LIB_CFLAGS) $(WARN) $(CFLAGS)
SOEM_INCLUDES := $(OUT)/soem/include $(foreach d,include osal osal/linux oshw/linux,$(SOEM_DIR)/$d)

OBJECTS  := $(foreach f,$(MODEL),model/$f) $(foreach f,$(ESTIMATION),estimation/$f) $(foreach f,$(DRIVERS),drivers/$f) $(foreach f,$(CONFIG),config/$f) \
            $(foreach f,$(CORE),rt/$f) $(foreach f,$(TOOLS),tools/$f) $(foreach f,$(PLANT),tools/lab/$f)
OBJECTS  := $(OBJECTS:%=$(OUT)/%.o)
LABS     := $(LAB:%=$(OUT)/tools/lab/%.o)
PROGRAMS := $(OUT)/freefall $(OUT)/freefall-lab $(OUT)/freefall-tables.so
UNITS    := $(TESTS:%=$(OUT)/tests/test_%)
SUBMAKE  = $(MAKE) --no-print-directory $(if $(findstring j,$(filter-out --%,$(MAKEFLAGS))),,-j$(JOBS))
Q        := $(if $(V),,@)
say      := $(if $(V),@:,@echo ' ')

.PHONY: all deps test check lint demo perf estimator-report install clean distclean units FORCE
.DELETE_ON_ERROR:
# Objects of tests are kept. Not .SECONDARY, which would let a new object with an older source be left out of an archive.
.PRECIOUS: $(OUT)/%.o

all: $(PROGRAMS)

$(OUT)/freefall: $(OUT)/tools/freefall.o $(OUT)/freefall.a $(OUT)/libsoem.a
	$(say) link $@
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDFLAGS) $(LIB_LDFLAGS) $(RT_LDFLAGS)
	$(if $(TRACING),,@echo '  note: built without LTTng$(if $(filter auto,$(TRACE)), (liblttng-ust-dev is not installed))')

# The simulated facility is a program of its own: no SOEM code, no controller code, plain Linux on either platform.
$(OUT)/freefall-lab: $(OUT)/tools/lab/main.o $(OUT)/lab.a $(OUT)/freefall.a
	$(say) link $@
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDFLAGS) $(LIB_LDFLAGS)

$(OUT)/freefall-tables.so: tools/table_hdf5.c tools/table_mat.c tools/table.h rt/record.h $(OUT)/flags | $(OUT)/version.h $(OUT)/soem/include/soem/ec_options.h
	$(say) link $@
	$(Q)$(CC) $(FLAGS) $(TABLES_CFLAGS) -fPIC -shared -o $@ $(filter %.c,$^) $(if $(strip $(TABLES)),$(shell pkg-config --libs $(TABLES)))

$(OUT)/lab.a: $(LABS)
	$(say) archive $@
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(OUT)/freefall.a: $(OBJECTS)
	$(say) archive $@
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(OUT)/%.o: %.c $(OUT)/flags | $(OUT)/version.h $(OUT)/soem/include/soem/ec_options.h
	@$(if $(MISSING),echo 'freefall: $(MISSING) not found by pkg-config; run "make deps"' >&2; exit 4)
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(FLAGS) -MMD -MP -c -o $@ $<

# A change of flags rebuilds; the same flags leave the file alone.
$(OUT)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(FLAGS)' | cmp -s - $@ || echo '$(CC) $(FLAGS)' >$@

COMMIT := $(shell git rev-parse --short=12 HEAD 2>/dev/null || echo unknown)$(shell git diff --quiet HEAD 2>/dev/null || echo -dirty)
define VERSION_H
/* Generated by the Makefile: what this build is. */
#define FREEFALL_VERSION "$(VERSION)"
#define FREEFALL_COMMIT "$(COMMIT)"
#define FREEFALL_CFLAGS "$(strip $(OPT))"
#define FREEFALL_RT "$(RT)"
#define FREEFALL_ARCH "$(ARCH)"
#define FREEFALL_TRACE $(if $(TRACING),1,0)
#define FREEFALL_HDF5 $(if $(HDF5),1,0)
#define FREEFALL_MATIO $(if $(MATIO),1,0)
#define FREEFALL_SANITIZE $(if $(SANITIZE),1,0)
#define FREEFALL_SOEM_VERSION "2.0.0"
endef
export VERSION_H
$(OUT)/version.h: FORCE
	@mkdir -p $(@D)
	@printenv VERSION_H | cmp -s - $@ || printenv VERSION_H >$@

-include $(OBJECTS:.o=.d) $(SOEM_PORT:%=$(OUT)/%.d) $(LABS:.o=.d) $(OUT)/tools/freefall.d $(OUT)/tools/lab/main.d $(UNITS:=.d) $(JUDGE:%=$(OUT)/tests/%.d) $(ROBOTS:%=$(OUT)/tests/%.d) $(CAMPAIGN:%=$(OUT)/tests/%.d)

# SOEM, compiled by our own rules: its CMake wants a newer cmake than Debian 12 has ----------------
SOEM := src/ec_base src/ec_coe src/ec_config src/ec_dc src/ec_eoe src/ec_foe src/ec_main src/ec_print \
        src/ec_soe osal/linux/osal oshw/linux/oshw
# A frame index that cannot alias within a quarter second, and a source address that is not multicast.
SOEM_OPTIONS := EC_MAXBUF=240 EC_MAXSLAVE=64 EC_PRIMARY_MAC=10:01:01:01:01:01
SOEM_FLAGS   := -std=gnu11 -O2 -g -w $(filter -fsanitize%,$(OPT)) $(RT_CFLAGS) \
                $(SOEM_INCLUDES:%=-I%)

$(OUT)/libsoem.a: $(SOEM:%=$(OUT)/soem/%.o) $(SOEM_PORT:%=$(OUT)/%.o)
	$(say) archive $@
	$(Q)rm -f $@ && $(AR) rcsD $@ $^

$(OUT)/soem/%.o: $(SOEM_DIR)/%.c $(OUT)/soem/include/soem/ec_options.h
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) $(SOEM_FLAGS) -c -o $@ $<

$(OUT)/soem/include/soem/ec_options.h: $(SOEM_DIR)/CMakeLists.txt Makefile
	@mkdir -p $(@D)
	@tools/soem-options $(SOEM_DIR) $(SOEM_OPTIONS) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

$(SOEM:%=$(SOEM_DIR)/%.c) $(SOEM_DIR)/CMakeLists.txt &:
	tools/deps soem

deps:
	tools/deps

# Tests ------------------------------------------------------------------------------------------
test:
	tools/deps build test
	$(SUBMAKE) check

# Once with the product's own objects, once under the sanitizers; then scripts against the program.
check: all units
	$(SUBMAKE) SANITIZE=1 all units
	@OUT=$(OUT) tests/run $(UNITS) $(UNITS:$(OUT)/%=$(OUT)-sanitize/%) $(CHECKS:%=tests/%.sh)

# Random bytes at both ends of the wire; what they find is kept beside the programs.
FUZZ_TIME ?= 30
FUZZ_CC   := clang-19 -g -O1 -std=gnu11 -D_GNU_SOURCE -I. -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
.PHONY: fuzz
fuzz: all
	@mkdir -p $(OUT)/fuzz
	$(FUZZ_CC) -o $(OUT)/fuzz/process_data tests/fuzz_process_data.c drivers/process_data.c drivers/port.c
	$(FUZZ_CC) -o $(OUT)/fuzz/segment tests/fuzz_segment.c $(LAB:%=tools/lab/%.c) $(OUT)/freefall.a $(LIB_LDFLAGS)
	cd $(OUT)/fuzz && ./process_data -max_len=1600 -max_total_time=$(FUZZ_TIME) && ./segment -max_len=4096 -max_total_time=$(FUZZ_TIME)

.PHONY: soak
soak: all units
	BENCH_CYCLES=60000 BENCH_FIGURES=1 OUT=$(OUT) tests/bench_ethercat.sh

units: $(UNITS) $(if $(SANITIZE),,$(OUT)/tests/bench_ethercat)

$(OUT)/tests/bench_ethercat: $(OUT)/tests/bench_ethercat.o $(OUT)/lab.a $(OUT)/freefall.a $(OUT)/libsoem.a
	$(say) link $@
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDFLAGS) $(LIB_LDFLAGS) $(RT_LDFLAGS)

$(OUT)/tests/test_%: $(OUT)/tests/test_%.o $(OUT)/tests/unity.o $(ROBOTS:%=$(OUT)/tests/%.o) $(OUT)/lab.a $(OUT)/freefall.a $(OUT)/libsoem.a
	$(say) link $@
	$(Q)$(CC) $(OPT) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDFLAGS) $(LIB_LDFLAGS) $(RT_LDFLAGS)

# MuJoCo judges the multibody engine in this one program; nothing else links it.
$(OUT)/tests/test_mujoco: $(JUDGE:%=$(OUT)/tests/%.o)
$(OUT)/tests/test_mujoco: LDFLAGS += -lmujoco

# Master layer and simulated segment in one process and in virtual time: port and SOEM's clock lead to tests/virtual.c.
VIRTUAL := $(VIRTUALS:%=$(OUT)/tests/test_%)
$(VIRTUAL): $(OUT)/tests/virtual.o
$(VIRTUAL): LDFLAGS += $(foreach f,port_open port_close port_send port_receive port_drain port_wait osal_usleep \
    osal_timer_start osal_timer_is_expired osal_current_time,-Wl$(COMMA)--wrap=$f)

# Runs of the vision filter, drawn by a simulation of its own.
$(OUT)/tests/test_target $(OUT)/tests/test_vision $(OUT)/tests/test_predict $(OUT)/tests/test_paper: $(CAMPAIGN:%=$(OUT)/tests/%.o)

# The table of estimation/README.md: RUNS drawn runs from SEED on, a few minutes.
RUNS ?= 200
SEED ?= 5000
estimator-report: $(OUT)/tests/estimator_report
	$< $(RUNS) $(SEED)

$(OUT)/tests/estimator_report: $(OUT)/tests/estimator_report.o $(CAMPAIGN:%=$(OUT)/tests/%.o) $(OUT)/freefall.a
	$(say) link $@
	$(Q)$(CC) $(OPT) -o $@ $^ $(LDFLAGS) $(LIB_LDFLAGS)

# Tests do not run in the cycle: their stack may be large.
$(OUT)/tests/%.o: FLAGS += -isystem $(UNITY_DIR) $(UNITY_OPTIONS) $(if $(GCC),-Wstack-usage=1000000)
UNITY_OPTIONS := -DUNITY_INCLUDE_DOUBLE -DUNITY_DOUBLE_PRECISION=1e-12

$(OUT)/tests/unity.o: $(UNITY_DIR)/unity.c $(OUT)/flags
	@mkdir -p $(@D)
	$(say) compile $<
	$(Q)$(CC) -O1 -w $(filter -fsanitize%,$(OPT)) $(UNITY_OPTIONS) -c -o $@ $<

$(UNITY_DIR)/unity.c:
	tools/deps unity

# Quality ----------------------------------------------------------------------------------------
SOURCES := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
SCRIPTS := $(shell git grep -lE '^\#!.*(bash|/sh)' -- . ':!Makefile' 2>/dev/null)
LINTS   := format scripts cppcheck tidy house

lint:
	tools/deps build test perf lint
	$(SUBMAKE) --keep-going $(LINTS:%=lint-%)

.PHONY: $(LINTS:%=lint-%)
lint-format:
	@echo '  layout of $(words $(SOURCES)) files'
	$(Q)clang-format-19 --dry-run -Werror $(SOURCES)
lint-scripts:
	@echo '  shellcheck of $(words $(SCRIPTS)) scripts'
	$(Q)shellcheck $(SCRIPTS)
lint-cppcheck: $(OUT)/version.h
	@echo '  cppcheck'
	$(Q)cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	    --error-exitcode=1 -j$(JOBS) -I. -I$(OUT) $(filter %.c,$(SOURCES))
lint-tidy: $(patsubst %.c,$(OUT)/tidy/%,$(filter %.c,$(SOURCES)))
lint-house:
	$(Q)python3 tools/house . --check

# The example includes obsw.h as its users do, from beside itself.
$(OUT)/tidy/tools/example/%: FLAGS += -Imodel

$(OUT)/tidy/tools/table_%: FLAGS += $(TABLES_CFLAGS)

# One file, again only when it or a header has changed.
$(OUT)/tidy/%: %.c .clang-tidy $(filter %.h,$(SOURCES)) | $(OUT)/version.h $(OUT)/soem/include/soem/ec_options.h
	@mkdir -p $(@D)
	@echo '  clang-tidy $<'
	$(Q)clang-tidy-19 --quiet $< -- $(filter-out -W% $(BLOCKS),$(FLAGS)) -isystem $(UNITY_DIR) $(UNITY_OPTIONS) 2>$@.log || { cat $@.log; exit 1; }
	@touch $@

demo:
	tools/deps build
	$(SUBMAKE) all
	@$(OUT)/freefall doctor || [ $$? -eq 1 ]
	@echo
	@echo 'The Envisat capture, flown on the simulated lab:'
	@$(OUT)/freefall sim config/envisat.yaml
	@echo
	@echo 'Not there yet: the real-time loop, the live page. Next: $(OUT)/freefall --help'

# Benchmark: every library an object of its own behind one table of functions; ours as shipped, and for AVX2 ----
perf:
	tools/deps build test perf
	$(SUBMAKE) measure

PERF       := $(OUT)/perf
PEERS      := generic mujoco kdl libm
PERF_FILES := $(if $(filter x86_64,$(shell uname -m)),$(PERF)/avx2.so) $(PEERS:%=$(PERF)/%.so)
PERF_ROBOT := $(ROBOTS:%=tests/%.c) $(MODEL:%=model/%.c)
PERF_TEXT   = $(shell $(CC) --version | head -n 1), $(strip $(filter-out -g -march=%,$(OPT)))
PERF_DEBIAN = Debian package $(shell dpkg-query -W -f '$${source:Package} $${Version}' $1 2>/dev/null), as built there (default -O2)
AVX         = ; $(if $(shell objdump -d $$($(CC) -print-file-name=lib$1.so) | grep -m1 ymm),with,without) AVX
PERF_CC     = $(CC) -std=c11 $(filter-out -march=%,$(OPT)) -D_GNU_SOURCE -I. $(WARN) -DPERF_BUILD='"$1"' -fPIC -fvisibility=hidden -shared -o $@

.PHONY: measure
measure: $(PERF)/perf $(PERF)/rsi $(PERF_FILES)
	$(PERF)/rsi
	$(PERF)/perf --json build/perf.json $(PERF_FILES)

$(PERF_FILES) $(PERF)/perf: $(OUT)/flags $(wildcard model/*.[ch] tests/*.[ch] tests/perf/*) | $(PERF)

$(PERF):
	@mkdir -p $@

$(PERF)/generic.so:
	$(say) link $@
	$(Q)$(call PERF_CC,$(PERF_TEXT) $(ARCH:%=-march=%)) $(ARCH:%=-march=%) -DPERF_NAME='"generic"' tests/perf/ours*.c $(PERF_ROBOT) -lm

$(PERF)/avx2.so:
	$(say) link $@
	$(Q)$(call PERF_CC,$(PERF_TEXT) -march=x86-64-v3) -march=x86-64-v3 -DPERF_NAME='"AVX2"' tests/perf/ours*.c $(PERF_ROBOT) -lm

$(PERF)/mujoco.so:
	$(say) link $@
	$(Q)$(call PERF_CC,$(call PERF_DEBIAN,libmujoco-dev)$(call AVX,mujoco)) tests/perf/peer_mujoco*.c $(patsubst %,tests/%.c,mujoco mjcf robots) -lmujoco -lm

$(PERF)/kdl.so:
	$(say) link $@
	$(Q)$(CC) -std=c11 -O3 -I. -fPIC -c -o $(PERF)/robots.o tests/robots.c
	$(Q)$(CXX) -std=c++17 -O3 -Wall -Wextra -Werror -I. $(patsubst -I%,-isystem %,$(shell pkg-config --cflags orocos-kdl)) \
	    -DPERF_BUILD='"$(call PERF_DEBIAN,liborocos-kdl-dev)$(call AVX,orocos-kdl)"' -fPIC -fvisibility=hidden -shared -o $@ tests/perf/peer_kdl.cc $(PERF)/robots.o \
	    $(shell pkg-config --libs orocos-kdl)

$(PERF)/libm.so:
	$(say) link $@
	$(Q)$(call PERF_CC,$(call PERF_DEBIAN,libc6); picks its code by processor) tests/perf/peer_libm.c -lm

$(PERF)/perf:
	$(say) link $@
	$(Q)$(CC) $(FLAGS) -o $@ $(patsubst %,tests/perf/%.c,perf unit measure count report) tests/robots.c -lm -ldl

# What a telegram of a robot costs.
$(PERF)/rsi: tests/perf/rsi.c $(OUT)/freefall.a | $(PERF)
	$(say) link $@
	$(Q)$(CC) $(FLAGS) -o $@ $^ -lm

install: all
	install -D -m755 $(OUT)/freefall $(DESTDIR)$(PREFIX)/bin/freefall
	install -D -m755 $(OUT)/freefall-lab $(DESTDIR)$(PREFIX)/bin/freefall-lab
	install -D -m644 $(OUT)/freefall-tables.so $(DESTDIR)$(PREFIX)/lib/freefall/freefall-tables.so
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	$(OUT)/freefall help --man >$(DESTDIR)$(PREFIX)/share/man/man1/freefall.1
	install -m644 tools/freefall.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/freefall

clean:
	rm -rf $(filter-out build/deps,$(wildcard build/*))

distclean:
	rm -rf build
