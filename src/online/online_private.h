/* online_private.h - the state of a single pass; shared by the files of this room. */
#ifndef SPD_ONLINE_PRIVATE_H
#define SPD_ONLINE_PRIVATE_H
#include "model/model.h"
#include "online/online.h"

enum { SPD_ONLINE_PARAMS = 2 };

struct spd_online {
    spdhg_data *prototype; /* a few rows that have every label: what the problem is made of */
    spd_recipe_problem made;
    spd_run run;
    double param[SPD_ONLINE_PARAMS];
    int64_t k;
    spd_row *row;      /* of a batch */
    double *x, *c, *y; /* the average, as of the last block that was scored */
    spd_online_score score;
    double loss_sum, right_sum;
    int index_base, hash;
    uint64_t seed;
};

/* So many more rows are in the sums. */
void spd_online_count(spd_online *online, int64_t rows);
#endif
