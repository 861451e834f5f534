/* SPDX-License-Identifier: GPL-3.0-or-later */
/* table_mat.c - a table as a MAT file (version 5): one matrix for each field. */
#include "tools/table.h"

#include <errno.h>
#include <stdlib.h>

#include "version.h"

#if FREEFALL_MATIO
#include <matio.h>

/* One field as rows x width; MATLAB keeps columns together. */
static bool write_group(mat_t *file, const struct table *t, const struct table_group *g,
                        double *part)
{
    size_t size[2] = {t->rows, (size_t)g->width};
    matvar_t *matrix;
    bool good;

    for (size_t i = 0; i < t->rows; i++) {
        for (int k = 0; k < g->width; k++) {
            part[(size_t)k * t->rows + i] =
                t->value[i * (size_t)t->columns + (size_t)(g->first + k)];
        }
    }
    matrix =
        Mat_VarCreate(g->name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size, part, MAT_F_DONT_COPY_DATA);
    good = matrix != NULL && Mat_VarWrite(file, matrix, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(matrix);
    return good;
}

int table_mat(const struct table *t, const char *path)
{
    double *part = malloc((t->rows * RECORD_JOINTS + 1) * sizeof *part);
    mat_t *file = Mat_CreateVer(path, "freefall: the recorded cycles of a run", MAT_FT_MAT5);
    bool good = part != NULL && file != NULL;

    for (int i = 0; good && i < t->groups; i++) {
        good = write_group(file, t, &t->group[i], part);
    }
    good = (file == NULL || Mat_Close(file) == 0) && good;
    free(part);
    return good ? 0 : -EIO;
}
#else
int table_mat(const struct table *t, const char *path)
{
    (void)t;
    (void)path;
    return -ENOSYS;
}
#endif
