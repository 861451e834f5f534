/* SPDX-License-Identifier: GPL-3.0-or-later */
/* freefall.c - the program: a table with one row per subcommand, and main().
 *
 * To add a subcommand: write tools/x.c with x_main(), declare it in tools/command.h, add its row here.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tools/command.h"
#include "tools/dispatch.h"
#include "tools/help.h"
#include "tools/keys.h"

#define NO_ROW {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}

static int help_main(int argc, char **argv);

static const struct command commands[] = {
    {
        .name = "doctor",
        .operands = "[CONFIG]",
        .summary = "is this machine ready for a real-time run?",
        .text =
            "Looks at kernel, processors, memory and rights, network interface, disk and tracing.\n"
            "Each check prints what was found, what is wanted, and the command that fixes it.\n"
            "Nothing is changed: what must be tried is tried in a child process and undone.\n"
            "The interface is the one named, else bus.interface of the configuration.",
        .example = "freefall doctor --interface enp3s0\n"
                   "freefall doctor --fix > fix.sh",
        .exits = "0   nothing fails; warnings may remain\n"
                 "1   at least one check fails\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong",
        .options = doctor_options,
        .main = doctor_main,
    },
    {
        .name = "config",
        .operands = "COMMAND",
        .summary = "what may stand in a configuration file, and what does",
        .text =
            "Every value has a key, a unit, a range and a default or is required. A wrong file is\n"
            "refused with the line, what was expected, what was found and what to do.",
        .example = "freefall config show lab.yaml",
        .sub = keys_commands,
        .main = keys_main,
    },
    {
        .name = "model",
        .operands = "FILE.urdf",
        .summary = "what a robot description says, and its dynamics at a state",
        .text = "Without a state: bodies, masses, joints, limits, reach and frames. Links that\n"
                "fixed joints hold together are one body; each stays a frame of its own.\n"
                "\n"
                "With a state: mass matrix M, bias, gravity load, frames with Jacobians,\n"
                "acceleration, kinetic energy and momentum; M a + bias = [0; tau] + gravity\n"
                "+ J'F. Base rows first, base twist in base axes, linear part first, frames in\n"
                "the world, quaternions x y z w, SI units. Joint damping and friction of the\n"
                "file are shown but take no part. The state is\n"
                "\n"
                "  {\"base\": \"floating\" or \"planar\" or \"fixed\", \"gravity\": [3],\n"
                "   \"pose\": {\"p\": [3], \"q\": [4]}, \"V\": [6 or 3 or 0], \"q\": [joints],\n"
                "   \"dq\": [joints], \"tau\": [joints],\n"
                "   \"wrench\": {\"frame\": \"NAME\", \"F\": [6]}}\n"
                "\n"
                "of which only base and q must be there; what is missing is zero.",
        .example = "freefall model config/servicer.urdf\n"
                   "freefall model config/servicer.urdf --state state.json --json",
        .exits = "0   done\n"
                 "2   wrong command line\n"
                 "3   the description or the state is wrong",
        .options = model_options,
        .main = model_main,
    },
    {
        .name = "obsw-host",
        .operands = "LIBRARY",
        .summary = "on-board software of a library, in a process of its own",
        .text =
            "Loads a library that exports obsw_table() (model/obsw.h) and answers the controller\n"
            "through the shared memory it finds at descriptor 3, one question per cycle. Started\n"
            "by the controller, not by hand. Ends when the controller says so or is gone.",
        .example = "freefall obsw-host ./obsw_example.so",
        .exits = "0   ended by the controller\n"
                 "2   wrong command line\n"
                 "3   the library cannot be used\n"
                 "4   no shared memory at descriptor 3",
        .main = obsw_host_main,
    },
    {
        .name = "sim",
        .operands = "CONFIG.yaml",
        .summary = "fly the mission of a configuration on the simulated lab",
        .text =
            "Controller and lab in lock-step, as fast as they go: the arm under gravity, robots\n"
            "that are late, force sensor, contact and latch. Beside it the same mission is\n"
            "flown in orbit by a model of its own; the verdict says how far the lab's\n"
            "weightlessness is from that. The same configuration gives the same bits.\n"
            "The folder of the run holds config.yaml, verdict.json and the recorded cycles.\n"
            "\n"
            "--find-lead flies the mission many times and records nothing.",
        .example = "freefall sim config/envisat.yaml\n"
                   "freefall sim config/envisat.yaml --for 20s --set \"robots.dead_time=4 ms\"\n"
                   "freefall sim config/contact.yaml --find-lead",
        .exits = "0   the verdict is pass\n"
                 "1   the verdict is fail, or no lead was found\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong\n"
                 "6   stopped by safety\n"
                 "8   the folder cannot be written",
        .options = sim_options,
        .main = sim_main,
    },
    {
        .name = "check",
        .operands = "CONFIG.yaml",
        .summary = "can the robots carry out this mission? Nothing moves",
        .text =
            "Flies the mission as freefall sim does, as it is written and dispersed\n"
            "(check.runs, check.dispersion), and moves two industrial robots (cell) along:\n"
            "the smallest margin of reach, axes, speeds, accelerations, singularities,\n"
            "distance between the robots, force, and delay of the contact loop. A violation is\n"
            "told with its first instant and with remedies that were tried.",
        .example = "freefall check config/envisat.yaml\n"
                   "freefall check config/envisat.yaml --set nominal.form=absolute",
        .exits = "0   every margin is kept\n"
                 "1   one is not, or safety would stop the run\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong",
        .options = check_options,
        .main = check_main,
    },
    {
        .name = "export",
        .operands = "RUN",
        .summary = "the recorded cycles of a run as a table",
        .text = "One line for each recorded cycle, the names of the columns first; arrays are\n"
                "name[0], name[1], ... Columns with true_ are the lab as it is, with reference_\n"
                "the run in orbit. SI units, poses x y z qx qy qz qw. HDF5 and MAT files have one\n"
                "array for each name. RUN is a folder or its run.mcap.",
        .example = "freefall export runs/2026-05-04T10-12-03-envisat --to csv",
        .exits = "0   done\n"
                 "2   wrong command line\n"
                 "3   no record there, or one of another version\n"
                 "4   built without the library for this format\n"
                 "8   the record is cut off or damaged, or the table cannot be written",
        .options = export_options,
        .main = export_main,
    },
    {
        .name = "estimate",
        .operands = "MEAS.csv",
        .summary = "the vision filter over a file of measured poses",
        .text =
            "As it would have run: a row for time t has seen only the poses with t_rx <= t.\n"
            "MEAS.csv has the columns seq, t_img, t_rx, valid, px, py, pz, qx, qy, qz, qw,\n"
            "sigma_r, sigma_th and is sorted by t_rx; s, m, rad. Where a sigma is empty or 0,\n"
            "vision.sigma_r and vision.sigma_theta stand for it. EST.csv has the columns\n"
            "\n"
            "  t, valid, px py pz, qx qy qz qw   pose of C in A\n"
            "  vx vy vz                          of its origin, axes of A\n"
            "  wx wy wz                          inertial rate, axes of C\n"
            "  sig_pos, sig_att                  square root of the trace of the covariance\n"
            "\n"
            "with nan where no motion is known yet. valid is 0 as long as no motion is known, it\n"
            "is in doubt, or its uncertainty is above vision.limit_position, limit_attitude.",
        .example = "freefall estimate meas.csv --set \"vision.n_z=0.0010381 rad/s\" --out est.csv",
        .exits = "0   done\n"
                 "2   wrong command line\n"
                 "3   the configuration or a file is wrong\n"
                 "8   the estimate cannot be written",
        .options = estimate_options,
        .main = estimate_main,
    },
    {
        .name = "replay",
        .operands = "RUN",
        .summary = "compute a recorded run again: equal in every bit, or the first difference",
        .text = "Feeds the recorded inputs to the same controller, built from the configuration\n"
                "inside the record, and compares every output. On-board software that comes with\n"
                "freefall is computed again; of other software the recorded answers are used,\n"
                "unless --obsw names a library to answer in its place.",
        .example = "freefall replay runs/2026-05-04T10-12-03-envisat",
        .exits = "0   every output is equal\n"
                 "1   the first difference was named\n"
                 "2   wrong command line\n"
                 "3   no record there, one of another version, or its configuration is wrong\n"
                 "8   the record is cut off or damaged; all before was equal",
        .options = replay_options,
        .main = replay_main,
    },
    {
        .name = "handeye",
        .operands = "POSES.csv",
        .summary = "where the camera sits on the robot",
        .text = "From at least 12 poses of a robot that carries the camera past one marker that\n"
                "stays where it is. Columns: rx ry rz rqx rqy rqz rqw, the flange in the robot's\n"
                "base, and mx my mz mqx mqy mqz mqw, the marker in the camera; m, quaternions\n"
                "x y z w. Prints the camera in the flange and how far the marker seems to move.\n"
                "Refused when the robot did not turn by 30 deg about two axes.",
        .example = "freefall handeye poses.csv",
        .exits = "0   done\n"
                 "1   the motion does not determine the camera\n"
                 "2   wrong command line\n"
                 "3   the file is wrong",
        .main = handeye_main,
    },
    {
        .name = "scan",
        .operands = "[INTERFACE] [CONFIG.yaml]",
        .summary = "which devices hang on the EtherCAT segment, and are they right?",
        .text = "Brings every device to PRE-OP, reads who it is, its clock and its error\n"
                "counters, and sets it back to INIT. With a configuration each position is\n"
                "compared with bus.devices; what is wrong is named with a likely cause. No\n"
                "output is driven, nothing moves. Not while another master runs the segment:\n"
                "it would lose its devices. The interface is the one named, else\n"
                "bus.interface of the configuration.",
        .example = "freefall scan enp3s0\n"
                   "freefall scan lab.yaml --json",
        .exits = "0   devices answer, and each is the expected one\n"
                 "1   a device is missing, extra or wrong\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong\n"
                 "4   no such interface, or no device answers\n"
                 "5   not permitted",
        .options = scan_options,
        .main = scan_main,
    },
    {
        .name = "links",
        .operands = "CONFIG.yaml",
        .summary = "do the robots' telegrams come, and our answers in time?",
        .text = "Answers each robot of robots.links with corrections of zero: the robots stay\n"
                "where they are, no other device is touched. Shows what was late, lost or not\n"
                "understood, the step of the counter, jitter, clock and time to answer.",
        .example = "freefall links lab.yaml\n"
                   "freefall links lab.yaml --robot client --count 1000 --json",
        .exits = "0   every telegram came and was answered in time\n"
                 "1   something was late, lost or not understood\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong\n"
                 "4   a robot is silent, or the address is not ours\n"
                 "7   ended by hand",
        .options = links_options,
        .main = links_main,
    },
    {
        .name = "rsi-config",
        .operands = "CONFIG.yaml",
        .summary = "the robot's half of an RSI link: Ethernet file and KRL program",
        .text = "Written from robots.links, so that both sides agree. --compare reads a file of\n"
                "the robot instead and names every difference with its line.",
        .example = "freefall rsi-config lab.yaml --robot client --out usb\n"
                   "freefall rsi-config lab.yaml --robot client --compare RSI_Ethernet.xml",
        .exits = "0   written, or no difference\n"
                 "1   there are differences\n"
                 "2   wrong command line\n"
                 "3   the configuration is wrong\n"
                 "4   the file to compare is not there\n"
                 "8   the folder cannot be written",
        .options = rsi_config_options,
        .main = rsi_config_main,
    },
    {
        .name = "inject",
        .operands = "[FAULT...]",
        .summary = "make a fault happen in a running simulated lab",
        .text = "Sends one line to the freefall-lab that runs with --control PATH: a fault of\n"
                "its script (\"drop 3\", \"at 500 cut 7 for 20ms\"), or \"stats\", \"devices\",\n"
                "\"help\", which lists the faults. With --file every line of a script is sent.\n"
                "It reaches the simulation only: there is no such socket on hardware.",
        .example = "freefall inject --control lab.sock drop 3\n"
                   "freefall inject --control lab.sock --file faults.txt",
        .exits = "0   done\n"
                 "1   the lab refuses: unknown fault or argument\n"
                 "2   wrong command line\n"
                 "4   no lab answers there, or no such file",
        .options = inject_options,
        .main = inject_main,
    },
    {
        .name = "latency",
        .operands = "[TIME]",
        .summary = "how late does the loop wake, beside a bare loop in the same seconds?",
        .text = "Two loops of 1 kHz on one processor, half a period apart: ours without its "
                "drivers, and one\n"
                "that only sleeps. What a shared machine does to both shows in both; the ratio is "
                "ours.",
        .example = "freefall latency 60s\n"
                   "freefall latency 5min --cpu 1 --json",
        .exits = "0   measured\n"
                 "2   wrong command line\n"
                 "4   no such processor\n"
                 "5   no right to the priority asked for",
        .options = latency_options,
        .main = latency_main,
    },
    {
        .name = "version",
        .operands = "",
        .summary = "what this program is made of",
        .text = "Version, commit, compiler and flags, real-time flavour, build options, and every\n"
                "library in the process with its version and licence.",
        .example = "freefall version --json",
        .options = version_options,
        .main = version_main,
    },
    {
        .name = "help",
        .operands = "[COMMAND...]",
        .summary = "the help of a command, the same as COMMAND --help",
        .example = "freefall help version",
        .main = help_main,
    },
    NO_ROW,
};

static const struct command_option program_options[] = {
    {"--version", NULL, "the same as the command version"},
    {NULL, NULL, NULL},
};

static const struct command program = {
    .name = "freefall",
    .operands = "COMMAND [ARGUMENTS]",
    .summary = "weightlessness for laboratory robots",
    .text = "A hard real-time controller that makes robots move like bodies in orbit.\n"
            "It is not a safety device.",
    .example = "freefall doctor",
    .exits = "0   pass\n"
             "1   verdict fail\n"
             "2   wrong command line\n"
             "3   configuration error\n"
             "4   hardware or link missing\n"
             "5   not permitted (rights, limits, records)\n"
             "6   stopped by safety\n"
             "7   stopped by the operator\n"
             "8   internal error, or the output could not be written\n"
             "75  busy, try again later",
    .options = program_options,
    .sub = commands,
};

/* What the Makefile asks for the man page, and the shell for completion: not for people. */
static const struct command_option help_options[] = {
    {"--man", NULL, "print the man page as troff"},
    {"--words", NULL, "print what may follow the words given"},
    {NULL, NULL, NULL},
};

static int help_main(int argc, char **argv)
{
    const char *hidden[2];
    int n = command_parse(help_options, hidden, argc, argv, 8);
    char help_word[] = "--help";
    char *words[11] = {NULL};

    if (n < 0) {
        return COMMAND_USAGE;
    }
    if (hidden[0] != NULL) {
        help_print_man(stdout, &program);
        return COMMAND_PASS;
    }
    if (hidden[1] != NULL) {
        help_print_words(stdout, &program, n, argv + 1);
        return COMMAND_PASS;
    }
    /* "help config show" is "config show --help": one place finds rows and refuses words. */
    for (int i = 0; i <= n; i++) {
        words[i] = argv[i];
    }
    words[n + 1] = help_word;
    return dispatch_run(&program, n + 2, words);
}

/* A closed standard stream would be taken over by the next file opened, and our output written there.
 * Occupy the number with something that refuses what the stream is for. */
static void occupy_closed_streams(void)
{
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF) {
            int mode = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

            if (open("/dev/null", mode) != fd) {
                return;
            }
        }
    }
}

/* Buffered output can fail as late as here: a full disk, a reader that went away. */
static int end_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    fprintf(stderr, "freefall: cannot write the output: %s\n",
            errno != 0 ? strerror(errno) : "an earlier write failed");
    return COMMAND_INTERNAL;
}

int main(int argc, char **argv)
{
    char version_word[] = "version";

    occupy_closed_streams();
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a full disk is an error of writing, not the end */
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        argv[1] = version_word;
    }
    return end_output(dispatch_run(&program, argc, argv));
}
