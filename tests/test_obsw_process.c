/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_obsw_process.c - on-board software in another process that answers, sleeps, lies, crashes or
 * stays.
 *
 * The other process is this same program, started with the word of a behaviour. What the
 * controller makes of it is seen in its mode and cause. */
#include "rt/obsw_process.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/draw.h"
#include "tests/scene.h"
#include "unity.h"

#define MS     1000000LL
#define SECOND (1000 * MS)

enum { BREAKS_AT = 100 }; /* the cycle in which a bad one begins to be bad */

static const struct obsw_setup setup = {OBSW_VERSION, sizeof setup, MS, 7, 0, 99, "gain 3"};
static struct obsw_process process;

/* The other process
 * ------------------------------------------------------------------------------ */

static int open_files(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++) {
        n += fcntl(fd, F_GETFD) != -1;
    }
    return n;
}

static pid_t start_sleeper(void)
{
    const pid_t pid = fork();

    if (pid == 0) {
        for (;;) {
            pause();
        }
    }
    return pid;
}

/* Torque from the input, so that each answer belongs to its question; then what the behaviour
 * asks for. */
static int step(void *self, const struct obsw_input *in, struct obsw_output *out)
{
    const char *behaviour = self;
    const bool now = in->cycle >= BREAKS_AT;

    *out = (struct obsw_output){.version = OBSW_VERSION, .size = sizeof *out, .cycle = in->cycle};
    out->joint_torque[0] = 3.0 * in->joint_position[1] - in->base_velocity[4];
    if (strcmp(behaviour, "files") == 0) {
        out->phase = (uint32_t)open_files();
    } else if (strcmp(behaviour, "children") == 0 && in->cycle == 0) {
        out->phase = (uint32_t)start_sleeper();
    } else if (strcmp(behaviour, "shrink") == 0) {
        out->phase = ftruncate(OBSW_PROCESS_FD, 0) == 0 ? 0 : (uint32_t)errno;
    } else if (strcmp(behaviour, "nan") == 0 && now) {
        out->joint_torque[3] = (double)NAN;
    } else if (strcmp(behaviour, "code") == 0 && now) {
        return 5;
    } else if (strcmp(behaviour, "version") == 0 && now) {
        out->version++;
    } else if (strcmp(behaviour, "old") == 0 && now) {
        out->cycle--;
    } else if (strcmp(behaviour, "sleep") == 0 && in->cycle == BREAKS_AT) {
        usleep(300000);
    } else if (strcmp(behaviour, "crash") == 0 && now) {
        raise(SIGKILL);
    } else if (strcmp(behaviour, "exit") == 0 && now) {
        _exit(3);
    }
    return 0;
}

/* From the first question on: random bytes over all that the two sides say to each other, again
 * and again. */
static void scribble(struct obsw_memory_page *page)
{
    struct draw d = {3};

    while (atomic_load(&page->asked) == 0) {
        usleep(1000);
    }
    for (;;) {
        unsigned char *bytes = (unsigned char *)page;
        const size_t from = offsetof(struct obsw_memory_page, asked);

        for (size_t i = from; i < sizeof *page; i++) {
            bytes[i] = (unsigned char)draw_bits(&d);
        }
        atomic_store(&page->answered, atomic_load(&page->asked));
    }
}

static int other_process(char *behaviour)
{
    struct obsw_interface table = {.version = OBSW_VERSION, .name = behaviour, .step = step};
    struct obsw_memory memory;
    enum obsw_memory_event event;

    if (strcmp(behaviour, "leaves") == 0) {
        return 17;
    }
    if (obsw_memory_attach(&memory, OBSW_PROCESS_FD) != 0) {
        return 1;
    }
    if (strcmp(behaviour, "mute") == 0) {
        pause();
    } else if (strcmp(behaviour, "refuse") == 0) {
        obsw_memory_refuse(&memory);
        return 0;
    } else if (strcmp(behaviour, "other") == 0) {
        table.version++;
    } else if (strcmp(behaviour, "stubborn") == 0) {
        signal(SIGTERM, SIG_IGN);
    }
    obsw_memory_ready(&memory, &table);
    if (strcmp(behaviour, "scribble") == 0) {
        scribble(memory.page);
    }
    do {
        event = obsw_memory_answer(&memory, &table, behaviour, 20 * MS);
    } while ((event != OBSW_MEMORY_END || strcmp(behaviour, "stubborn") == 0) &&
             (event == OBSW_MEMORY_ANSWERED || !obsw_memory_left(&memory)));
    return 0;
}

/* The controller
 * --------------------------------------------------------------------------------- */

static int begin(const char *behaviour, int64_t deadline_ns)
{
    char program[] = "/proc/self/exe", word[16];
    char *const argv[] = {program, word, NULL};
    const struct obsw_process_model model = {
        .argv = argv, .deadline_ns = deadline_ns, .start_ns = 20 * SECOND, .end_ns = 50 * MS};

    snprintf(word, sizeof word, "%s", behaviour);
    return obsw_process_open(&process, &model, &setup);
}

void setUp(void)
{
    memset(&process, 0, sizeof process);
}

void tearDown(void)
{
    obsw_process_close(&process);
}

/* Whole control cycles, RUN from the third on, until the controller holds or the cycles are
 * over. Returns the first cause. The deadline counts from where bad processes break; before, no
 * load of this machine may look like one. */
static uint32_t fly(int64_t deadline_ns, struct control_output *out)
{
    const int cycles = 3 * BREAKS_AT;
    static struct control_model model;
    static struct control_state state;

    TEST_ASSERT_EQUAL_INT(0, scene_model(&model, &process.table, &process));
    TEST_ASSERT_EQUAL_INT(0, control_init(&model, &state));
    memset(out, 0, sizeof *out);
    for (uint64_t k = 0; k < (uint64_t)cycles && out->mode != SAFETY_HOLD; k++) {
        struct control_input in;

        if (state.run_cycles == BREAKS_AT) {
            process.memory.deadline_ns = deadline_ns;
        }
        scene_input(&in, k);
        in.request = k == 1 ? SAFETY_ASK_ARM : SAFETY_ASK_NOTHING;
        control_step(&model, &state, &in, out);
    }
    TEST_ASSERT_TRUE(state.run_cycles > 0);
    return state.first_causes;
}

static void holds(const char *behaviour, int64_t deadline_ns, enum safety_cause cause)
{
    struct control_output out;
    uint32_t first;

    TEST_ASSERT_EQUAL_INT(0, begin(behaviour, 100 * SECOND));
    first = fly(deadline_ns, &out);
    TEST_ASSERT_EQUAL_INT_MESSAGE(SAFETY_HOLD, out.mode, behaviour);
    TEST_ASSERT_EQUAL_HEX32_MESSAGE(SAFETY_BIT(cause), first, behaviour);
}

static void test_a_good_process_keeps_the_controller_running(void)
{
    struct control_output out;

    TEST_ASSERT_EQUAL_INT(0, begin("good", 100 * SECOND));
    TEST_ASSERT_EQUAL_STRING("good", process.table.name);
    TEST_ASSERT_EQUAL_HEX32(0, fly(100 * SECOND, &out));
    TEST_ASSERT_EQUAL_INT(SAFETY_RUN, out.mode);
}

/* Longer than it waits between two looks whether the controller still lives. */
static void test_a_process_that_is_not_asked_stays(void)
{
    struct obsw_input in = {.cycle = 4};
    struct obsw_output out = {.cycle = 0};
    char text[OBSW_PROCESS_TEXT_SIZE];

    TEST_ASSERT_EQUAL_INT(0, begin("good", 10 * SECOND));
    usleep(150000);
    TEST_ASSERT_TRUE_MESSAGE(obsw_process_runs(&process, text), text);
    TEST_ASSERT_EQUAL_INT(0, process.table.step(&process, &in, &out));
    TEST_ASSERT_EQUAL_UINT64(4, out.cycle);
}

static void test_each_wrong_answer_is_held_with_its_own_cause(void)
{
    holds("nan", 100 * SECOND, SAFETY_OBSW_INVALID);
    obsw_process_close(&process);
    holds("code", 100 * SECOND, SAFETY_OBSW_INVALID);
    obsw_process_close(&process);
    holds("version", 100 * SECOND, SAFETY_OBSW_VERSION);
    obsw_process_close(&process);
    holds("old", 100 * SECOND, SAFETY_OBSW_LATE);
}

/* A death is first seen as lateness, then explained to whoever asks outside the cycle. */
static void dies(const char *behaviour, const char *explanation)
{
    char text[OBSW_PROCESS_TEXT_SIZE];

    holds(behaviour, 20 * MS, SAFETY_OBSW_LATE);
    for (int i = 0; i < 1000 && obsw_process_runs(&process, text); i++) {
        usleep(10000);
    }
    TEST_ASSERT_EQUAL_STRING(explanation, text);
    obsw_process_close(&process);
}

static void test_a_process_that_dies_is_late_and_its_death_explained(void)
{
    dies("crash", "was ended by signal 9 (Killed)");
    dies("exit", "ended with exit code 3");
}

static void test_a_process_that_sleeps_is_late_and_can_come_back(void)
{
    struct obsw_input in = {.cycle = BREAKS_AT};
    struct obsw_output out = {.cycle = 0};
    int late = 0;

    TEST_ASSERT_EQUAL_INT(0, begin("sleep", MS));
    do { /* asked until the first answer in time after the sleep */
        process.table.step(&process, &in, &out);
        TEST_ASSERT_EQUAL_UINT32(OBSW_VERSION, out.version);
        if (late == 0) {
            TEST_ASSERT_TRUE(out.cycle != in.cycle);
        }
        late++;
        in.cycle++;
        usleep(1000);
    } while (out.cycle != in.cycle - 1);
    TEST_ASSERT_TRUE(late > 1);
}

static void test_a_process_that_writes_everywhere_harms_only_itself(void)
{
    char text[OBSW_PROCESS_TEXT_SIZE];

    TEST_ASSERT_EQUAL_INT(0, begin("scribble", MS));
    for (uint64_t k = 0; k < 2000; k++) {
        struct obsw_input in = {.cycle = k};
        struct obsw_output out = {.cycle = ~k};

        process.table.step(&process, &in, &out);
    }
    TEST_ASSERT_TRUE(obsw_process_runs(&process, text));
}

static uint32_t first_phase(const char *behaviour)
{
    struct obsw_input in = {.cycle = 0};
    struct obsw_output out = {.cycle = 1};

    TEST_ASSERT_EQUAL_INT(0, begin(behaviour, 100 * SECOND));
    TEST_ASSERT_EQUAL_INT(0, process.table.step(&process, &in, &out));
    TEST_ASSERT_EQUAL_UINT64(0, out.cycle);
    return out.phase;
}

static void test_the_process_gets_the_memory_and_no_other_file_of_ours(void)
{
    int ends[2];

    TEST_ASSERT_EQUAL_INT(0, pipe(ends)); /* inherited by every child that is not kept from it */
    TEST_ASSERT_EQUAL_UINT32(4, first_phase("files"));
    close(ends[0]);
    close(ends[1]);
}

static void test_the_process_cannot_take_the_memory_away(void)
{
    TEST_ASSERT_EQUAL_UINT32(EPERM, first_phase("shrink"));
}

static bool is_gone(pid_t pid)
{
    for (int i = 0; i < 1000; i++) {
        while (waitpid(-1, NULL, WNOHANG) >
               0) { /* orphans come to us: this program is their reaper */
        }
        if (kill(pid, 0) != 0) {
            return true;
        }
        usleep(10000);
    }
    return false;
}

static void test_close_leaves_no_process_behind(void)
{
    pid_t pid;

    TEST_ASSERT_EQUAL_INT(0, begin("stubborn", 100 * SECOND));
    pid = process.pid;
    TEST_ASSERT_EQUAL_INT(0, kill(pid, 0));
    obsw_process_close(&process);
    TEST_ASSERT_TRUE(is_gone(pid));

    pid = (pid_t)first_phase("children");
    TEST_ASSERT_EQUAL_INT(0, kill(pid, 0));
    obsw_process_close(&process);
    TEST_ASSERT_TRUE(is_gone(pid));
}

static void test_the_process_ends_when_the_controller_is_killed(void)
{
    int ends[2];
    pid_t controller, other = 0;

    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    controller = fork();
    if (controller == 0) {
        if (begin("good", SECOND) == 0 && write(ends[1], &process.pid, sizeof other) > 0) {
            pause();
        }
        _exit(1);
    }
    TEST_ASSERT_EQUAL_INT(sizeof other, read(ends[0], &other, sizeof other));
    TEST_ASSERT_EQUAL_INT(0, kill(other, 0));
    kill(controller, SIGKILL);
    TEST_ASSERT_TRUE(is_gone(controller));
    TEST_ASSERT_TRUE(is_gone(other));
    close(ends[0]);
    close(ends[1]);
}

static void test_what_does_not_start_is_refused_and_nothing_stays(void)
{
    char none[] = "/no/such/program", self[] = "/proc/self/exe", mute[] = "mute";
    char *const missing[] = {none, NULL}, *const silent[] = {self, mute, NULL},
                *const empty[] = {NULL};
    struct obsw_process_model model = {.argv = missing, .deadline_ns = MS, .start_ns = 50 * MS};

    TEST_ASSERT_EQUAL_INT(-ENOENT, obsw_process_open(&process, &model, &setup));
    model.argv = silent;
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, obsw_process_open(&process, &model, &setup));
    model.deadline_ns = 0;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_process_open(&process, &model, &setup));
    model.deadline_ns = MS;
    model.argv = empty;
    TEST_ASSERT_EQUAL_INT(-EINVAL, obsw_process_open(&process, &model, &setup));
    TEST_ASSERT_EQUAL_INT(-EPROTO, begin("refuse", MS));
    TEST_ASSERT_EQUAL_INT(-EPROTO, begin("other", MS));
    TEST_ASSERT_EQUAL_INT(-ECHILD, begin("leaves", MS));
    TEST_ASSERT_EQUAL_INT(0, process.pid);
    TEST_ASSERT_NULL(process.memory.page);
    TEST_ASSERT_EQUAL_INT(-1, waitpid(-1, NULL, WNOHANG));
    TEST_ASSERT_EQUAL_INT(ECHILD, errno);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return other_process(argv[1]);
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    UNITY_BEGIN();
    RUN_TEST(test_a_good_process_keeps_the_controller_running);
    RUN_TEST(test_a_process_that_is_not_asked_stays);
    RUN_TEST(test_each_wrong_answer_is_held_with_its_own_cause);
    RUN_TEST(test_a_process_that_dies_is_late_and_its_death_explained);
    RUN_TEST(test_a_process_that_sleeps_is_late_and_can_come_back);
    RUN_TEST(test_a_process_that_writes_everywhere_harms_only_itself);
    RUN_TEST(test_the_process_gets_the_memory_and_no_other_file_of_ours);
    RUN_TEST(test_the_process_cannot_take_the_memory_away);
    RUN_TEST(test_close_leaves_no_process_behind);
    RUN_TEST(test_the_process_ends_when_the_controller_is_killed);
    RUN_TEST(test_what_does_not_start_is_refused_and_nothing_stays);
    return UNITY_END();
}
