/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cell.c - the two industrial robots of the laboratory from the keys of a configuration. */
#include "rt/cell.h"

#include <errno.h>
#include <string.h>

#include "model/mat.h"
#include "rt/build.h"

const char *const cell_robot_name[CELL_ROBOTS] = {"client", "servicer"};

static void read_table(struct industrial_model *m, const struct config *c)
{
    memset(m, 0, sizeof *m);
    m->height_m = config_number(c, "cell.height");
    m->offset_m = config_number(c, "cell.offset");
    m->upper_m = config_number(c, "cell.upper_arm");
    m->forearm_m = config_number(c, "cell.forearm");
    m->elbow_m = config_number(c, "cell.elbow");
    m->flange_m = config_number(c, "cell.flange");
    config_vector(c, "cell.sign", INDUSTRIAL_AXES, m->sign);
    config_vector(c, "cell.zero", INDUSTRIAL_AXES, m->zero_rad);
    config_vector(c, "cell.lower", INDUSTRIAL_AXES, m->lower_rad);
    config_vector(c, "cell.upper", INDUSTRIAL_AXES, m->upper_rad);
    config_vector(c, "cell.speed", INDUSTRIAL_AXES, m->speed_radps);
    config_vector(c, "cell.acceleration", INDUSTRIAL_AXES, m->acceleration_radps2);
}

static void read_pose(struct pose *g, const struct config *c, const char *position,
                      const char *turn)
{
    double rpy[3];

    config_vector(c, position, 3, g->p);
    config_vector(c, turn, 3, rpy);
    build_rotation(g->R, rpy);
}

static void hang(struct cell *cell, int i, const struct pose *mockup, const struct pose *centre)
{
    se3_mul(&cell->body[i], mockup, centre);
    se3_inverse(&cell->flange_in[i], &cell->body[i]);
}

int cell_build(struct cell *cell, const struct config *c, FILE *messages)
{
    const char *name = config_text(c, "cell.robot");
    const struct industrial_model *known = industrial_find(name);
    const char *what = NULL;
    struct pose mockup, centre;

    memset(cell, 0, sizeof *cell);
    if (known != NULL) {
        cell->robot = *known;
    } else {
        read_table(&cell->robot, c);
    }
    if (industrial_init(&cell->robot, &what) != 0) {
        fprintf(messages, "freefall: cell: no robot can be like this: %s; see cell.* of the file\n",
                what);
        return -EINVAL;
    }
    cell->radius_m = config_number(c, "cell.radius");
    read_pose(&cell->base[CELL_CLIENT], c, "cell.client_base", "cell.client_base_turn");
    read_pose(&cell->base[CELL_SERVICER], c, "cell.servicer_base", "cell.servicer_base_turn");
    read_pose(&mockup, c, "cell.client_mockup", "cell.client_mockup_turn");
    read_pose(&centre, c, "cell.client_centre", "cell.client_centre_turn");
    hang(cell, CELL_CLIENT, &mockup, &centre);
    read_pose(&mockup, c, "cell.servicer_mockup", "cell.servicer_mockup_turn");
    read_pose(&centre, c, "cell.servicer_centre", "cell.servicer_centre_turn");
    hang(cell, CELL_SERVICER, &mockup, &centre);
    return 0;
}

void cell_flange(struct pose *flange, const struct cell *c, int robot, const struct pose *body)
{
    struct pose in_root;

    se3_relative(&in_root, &c->base[robot], body);
    se3_mul(flange, &in_root, &c->flange_in[robot]);
}
