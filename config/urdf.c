/* SPDX-License-Identifier: GPL-3.0-or-later */
/* urdf.c - a robot description (URDF) as plain links and joints: names, links, and the tree
 * they form. */
#include "config/urdf.h"

#include <errno.h>
#include <string.h>

#include "config/urdf_joint.h"
#include "config/xml.h"

/* Copy the name; false after an error, also for a name that could not be printed or told apart. */
bool urdf_read_name(struct xml *x, const xmlNode *node, char name[static URDF_NAME_MAX])
{
    const char *text = xml_required(x, node, "name");
    const char *kind = (const char *)node->name;

    name[0] = '\0';
    if (text == NULL) {
        return false;
    }
    if (text[0] == '\0' || strlen(text) >= URDF_NAME_MAX || strpbrk(text, " \t\r\n\"") != NULL) {
        xml_error(x, node,
                  "<%s> name: expected 1 to %d bytes without blanks and quotes, found \"%.70s\"",
                  kind, URDF_NAME_MAX - 1, text);
        return false;
    }
    memcpy(name, text, strlen(text) + 1);
    xml_about(x, kind, name);
    return true;
}

static void check_range(struct xml *x, const xmlNode *node, const double number[static 3],
                        double most, const char *unit)
{
    for (int i = 0; i < 3; i++) {
        if (!(number[i] >= -most && number[i] <= most)) {
            xml_error(x, node, "<origin>: expected at most %g %s, found %g; are the units SI?",
                      most, unit, number[i]);
        }
    }
}

void urdf_read_origin(struct xml *x, const xmlNode *parent, struct urdf_origin *origin)
{
    const xmlNode *node = xml_child(x, parent, "origin");

    *origin = (struct urdf_origin){{0}, {0}};
    if (node != NULL) {
        xml_only(x, node, "xyz rpy", "");
        (void)xml_numbers(x, node, "xyz", false, origin->xyz_m, 3);
        (void)xml_numbers(x, node, "rpy", false, origin->rpy_rad, 3);
        check_range(x, node, origin->xyz_m, URDF_DISTANCE_MAX_M, "m");
        check_range(x, node, origin->rpy_rad, URDF_ANGLE_MAX_RAD, "rad");
    }
}

/* ---- links ---- */

static bool read_inertia(struct xml *x, const xmlNode *node, double inertia[static 6])
{
    static const char *const name[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    bool good = true;

    xml_only(x, node, "ixx ixy ixz iyy iyz izz", "");
    for (int i = 0; i < 6; i++) {
        good = xml_numbers(x, node, name[i], true, &inertia[i], 1) && good;
    }
    return good;
}

static void read_inertial(struct xml *x, const xmlNode *node, struct urdf_link *link)
{
    const xmlNode *mass = xml_child(x, node, "mass");
    const xmlNode *inertia = xml_child(x, node, "inertia");
    bool good = false;

    xml_only(x, node, "", "origin mass inertia");
    urdf_read_origin(x, node, &link->central);
    if (mass == NULL || inertia == NULL) {
        xml_error(x, node, "<inertial> without <%s>", mass == NULL ? "mass" : "inertia");
    }
    if (mass != NULL) {
        xml_only(x, mass, "value", "");
        good = xml_numbers(x, mass, "value", true, &link->mass_kg, 1);
    }
    if (inertia != NULL) {
        link->inertia_line = xml_line(inertia);
        link->inertial = read_inertia(x, inertia, link->inertia_kgm2) && good;
    }
}

static void read_link(struct urdf *u, struct xml *x, const xmlNode *node)
{
    struct urdf_link *link = &u->link[u->links];
    const xmlNode *inertial = NULL;
    int twin = -1;

    *link = (struct urdf_link){.line = xml_line(node), .parent = -1};
    if (!urdf_read_name(x, node, link->name)) {
        return;
    }
    twin = urdf_find_link(u, link->name);
    if (twin >= 0) {
        xml_error(x, node, "second link of this name, the first is in line %d", u->link[twin].line);
        return;
    }
    u->links++;
    xml_only(x, node, "name type", "inertial visual collision contact");
    inertial = xml_child(x, node, "inertial");
    if (inertial != NULL) {
        read_inertial(x, inertial, link);
    }
}

int urdf_find_link(const struct urdf *u, const char *name)
{
    for (int i = 0; i < u->links; i++) {
        if (strcmp(u->link[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

/* ---- the tree ---- */

/* Tell every link which joint carries it. */
static void connect(struct urdf *u, struct errors *errors)
{
    for (int j = 0; j < u->joints; j++) {
        const struct urdf_joint *joint = &u->joint[j];
        struct urdf_link *child = joint->child >= 0 ? &u->link[joint->child] : NULL;

        if (child == NULL) {
            continue;
        }
        if (joint->child == joint->parent) {
            errors_add(errors, joint->line, "joint \"%s\": link \"%s\" is both parent and child",
                       joint->name, child->name);
        } else if (child->parent >= 0) {
            errors_add(errors, joint->line,
                       "joint \"%s\": link \"%s\" is carried by joint \"%s\" already", joint->name,
                       child->name, u->joint[child->parent].name);
        } else {
            child->parent = j;
        }
    }
}

/* The one link that no joint carries. */
static void find_root(struct urdf *u, struct errors *errors)
{
    u->root = -1;
    for (int i = 0; i < u->links; i++) {
        const struct urdf_link *link = &u->link[i];

        if (link->parent < 0 && u->root < 0) {
            u->root = i;
        } else if (link->parent < 0) {
            errors_add(errors, link->line,
                       "link \"%s\": no joint carries it, and link \"%s\" is the base; connect or "
                       "remove it",
                       link->name, u->link[u->root].name);
        }
    }
    if (u->links == 0) {
        errors_add(errors, 0, "expected at least one <link>, found none");
    } else if (u->root < 0) {
        errors_add(errors, u->link[0].line,
                   "link \"%s\": the joints form a loop; expected one link, the base, that no "
                   "joint carries",
                   u->link[0].name);
    }
}

/* Put the links in order, parents first; what cannot be reached from the base hangs on a loop. */
static void sort_links(struct urdf *u, struct errors *errors)
{
    bool placed[URDF_LINKS_MAX] = {false};
    int n = 0;

    u->order[n++] = u->root;
    placed[u->root] = true;
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < u->joints; j++) {
            if (u->joint[j].parent == u->order[k] && !placed[u->joint[j].child]) {
                placed[u->joint[j].child] = true;
                u->order[n++] = u->joint[j].child;
            }
        }
    }
    for (int i = 0; i < u->links && n < u->links; i++) {
        int on_loop = i;

        for (int step = 0; step < u->links && !placed[i]; step++) {
            on_loop = u->joint[u->link[on_loop].parent].parent;
        }
        if (!placed[i]) {
            errors_add(
                errors, u->link[on_loop].line,
                "link \"%s\": its joints form a loop that is not connected to the base \"%s\"",
                u->link[on_loop].name, u->link[u->root].name);
            break;
        }
    }
}

/* ---- the file ---- */

/* One kind of element after the other, because joints name links, and transmissions joints. */
static void read_elements(struct urdf *u, struct xml *x, const xmlNode *robot, const char *kind,
                          int most,
                          void (*read)(struct urdf *u, struct xml *x, const xmlNode *node))
{
    int n = 0;

    for (const xmlNode *node = xml_first(robot); node != NULL; node = xml_next(node)) {
        if (!xml_is(node, kind)) {
            continue;
        }
        x->who[0] = '\0';
        if (n++ == most) {
            xml_error(x, node, "expected at most %d <%s>, found more", most, kind);
            break;
        }
        read(u, x, node);
    }
}

static void read_robot(struct urdf *u, struct xml *x, const xmlNode *robot)
{
    if (!xml_is(robot, "robot")) {
        xml_error(x, robot, "expected <robot>, found <%.40s>; is this a URDF file?",
                  (const char *)robot->name);
        return;
    }
    xml_only(x, robot, "name version",
             "link joint transmission material gazebo ros2_control sensor");
    (void)urdf_read_name(x, robot, u->name);
    read_elements(u, x, robot, "link", URDF_LINKS_MAX, read_link);
    read_elements(u, x, robot, "joint", URDF_JOINTS_MAX, urdf_joint_read);
    read_elements(u, x, robot, "transmission", URDF_JOINTS_MAX, urdf_joint_read_transmission);
}

int urdf_read(struct urdf *u, struct errors *errors, const struct source *source)
{
    struct xml x;

    u->links = u->joints = 0;
    u->root = -1;
    if (xml_open(&x, errors, source) == 0) {
        read_robot(u, &x, xmlDocGetRootElement(x.doc));
        connect(u, errors);
    }
    xml_close(&x);
    /* a name that was not understood would make these blame the wrong link */
    if (errors->count == 0) {
        find_root(u, errors);
    }
    if (errors->count == 0) {
        sort_links(u, errors);
    }
    return errors->count == 0 ? 0 : -EINVAL;
}

int urdf_open(struct urdf *u, struct errors *errors, const char *path)
{
    struct source source = {0};
    char why[SOURCE_WHY_MAX];
    int result = 0;

    u->links = u->joints = 0;
    if (source_open(&source, path, why) != 0) {
        errors_add(errors, 0, "%s", why);
        return -EINVAL;
    }
    result = urdf_read(u, errors, &source);
    source_close(&source);
    return result;
}
