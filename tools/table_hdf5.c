/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_hdf5.c - a table as an HDF5 file: one dataset for each field. */
#include "tools/table.h"

#include <errno.h>
#include <stdlib.h>

#include "version.h"

#if FREEFALL_HDF5
#include <hdf5.h>

/* One field, its columns taken out of the rows. */
static bool write_group(hid_t file, const struct table *t, const struct table_group *g,
                        double *part)
{
    const hsize_t size[2] = {t->rows, (hsize_t)g->width};
    const hid_t space = H5Screate_simple(g->field->count > 0 ? 2 : 1, size, NULL);
    const hid_t set =
        H5Dcreate2(file, g->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    bool good;

    for (size_t i = 0; i < t->rows; i++) {
        memcpy(part + i * (size_t)g->width, t->value + i * (size_t)t->columns + g->first,
               (size_t)g->width * sizeof *part);
    }
    good = set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, part) >= 0;
    good = (set < 0 || H5Dclose(set) >= 0) && good;
    return (space < 0 || H5Sclose(space) >= 0) && good;
}

int table_hdf5(const struct table *t, const char *path)
{
    double *part = malloc((t->rows * RECORD_JOINTS + 1) * sizeof *part);
    hid_t file;
    bool good = part != NULL;

    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* our own message is enough */
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    good = good && file >= 0;
    for (int i = 0; good && i < t->groups; i++) {
        good = write_group(file, t, &t->group[i], part);
    }
    good = (file < 0 || H5Fclose(file) >= 0) && good;
    free(part);
    return good ? 0 : -EIO;
}
#else
int table_hdf5(const struct table *t, const char *path)
{
    (void)t;
    (void)path;
    return -ENOSYS;
}
#endif
