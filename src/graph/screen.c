/* screen.c - exact screening: the components of the graph { |S_ij| > rho } are those of the solution Theta, so each is solved
 * alone (Mazumder & Hastie 2012, Witten, Friedman & Simon 2011). Pairs are joined by union-find as they arrive. The rho for a
 * given largest component is read off a maximum spanning forest, of which only the edges above the current floor are kept. */
#include <stdlib.h>

#include "graph/graph.h"

typedef struct forest {
    int32_t *parent, *size;
    int64_t nodes;
} forest;

static spdhg_status forest_new(forest *f, int64_t nodes, spdhg_error *err) {
    *f = (forest){SPD_NEW(int32_t, nodes), SPD_NEW(int32_t, nodes), nodes};
    return f->parent && f->size ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)nodes);
}

static void forest_reset(forest *f) {
    for (int64_t j = 0; j < f->nodes; j++) {
        f->parent[j] = (int32_t)j;
        f->size[j] = 1;
    }
}

static void forest_free(forest *f) {
    spd_free(f->parent);
    spd_free(f->size);
}

static int32_t root(forest *f, int32_t j) {
    while (f->parent[j] != j) j = f->parent[j] = f->parent[f->parent[j]];
    return j;
}

static void join(forest *f, int32_t a, int32_t b) {
    if (f->size[a] < f->size[b]) {
        const int32_t swap = a;
        a = b;
        b = swap;
    }
    f->parent[b] = a;
    f->size[a] += f->size[b];
}

static spdhg_status take_joins(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err) {
    (void)floor;
    (void)err;
    forest *f = context;
    for (int64_t e = 0; e < pairs; e++) {
        const int32_t a = root(f, pair[e].i), b = root(f, pair[e].j);
        if (a != b) join(f, a, b);
    }
    return SPDHG_OK;
}

typedef struct rank {
    int32_t size, first, root;
} rank;

static int largest_then_first(const void *a, const void *b) {
    const rank *p = a, *q = b;
    if (p->size != q->size) return p->size > q->size ? -1 : 1;
    return p->first < q->first ? -1 : p->first > q->first;
}

/* Numbers the trees, largest first, and lists their nodes in ascending order. */
static spdhg_status list_trees(forest *f, spd_components *out, spdhg_error *err) {
    const int64_t d = f->nodes;
    rank *tree = SPD_NEW(rank, d);
    int32_t *number = SPD_NEW(int32_t, d);
    *out = (spd_components){0, SPD_NEW(int64_t, d + 1), SPD_NEW(int32_t, d), SPD_NEW(int32_t, d), SPD_NEW(int32_t, d)};
    const bool good = tree && number && out->first && out->list && out->home && out->place;
    for (int64_t j = 0; good && j < d; j++) {
        const int32_t r = root(f, (int32_t)j);
        if (number[r] == 0) {
            number[r] = 1;
            tree[out->count++] = (rank){f->size[r], (int32_t)j, r};
        }
    }
    if (out->count > 0) qsort(tree, (size_t)out->count, sizeof *tree, largest_then_first);
    for (int64_t t = 0; good && t < out->count; t++) {
        number[tree[t].root] = (int32_t)t;
        out->first[t + 1] = out->first[t] + tree[t].size;
        tree[t].size = 0; /* from here on: number of nodes listed so far */
    }
    for (int64_t j = 0; good && j < d; j++) {
        const int32_t t = number[root(f, (int32_t)j)];
        out->home[j] = t;
        out->place[j] = tree[t].size++;
        out->list[out->first[t] + out->place[j]] = (int32_t)j;
    }
    spd_free(tree);
    spd_free(number);
    if (good) return SPDHG_OK;
    spd_components_free(out);
    return spd_fail_memory(err, 36.0 * (double)d);
}

void spd_components_free(spd_components *components) {
    spd_free(components->first);
    spd_free(components->list);
    spd_free(components->home);
    spd_free(components->place);
    *components = (spd_components){0};
}

spdhg_status spd_components_of(int64_t nodes, const spd_pair *pair, int64_t pairs, spd_components *out, spdhg_error *err) {
    forest f;
    *out = (spd_components){0};
    spdhg_status status = forest_new(&f, nodes, err);
    if (status == SPDHG_OK) {
        forest_reset(&f);
        take_joins(&f, pair, pairs, NULL, err);
        status = list_trees(&f, out, err);
    }
    forest_free(&f);
    return status;
}

spdhg_status spd_screen(const spd_columns *c, int threads, double rho, spd_components *out, spdhg_error *err) {
    forest f;
    *out = (spd_components){0};
    spdhg_status status = forest_new(&f, c->features, err);
    if (status == SPDHG_OK) {
        forest_reset(&f);
        status = spd_pairs(c, threads, rho, take_joins, &f, err);
    }
    if (status == SPDHG_OK) status = list_trees(&f, out, err);
    forest_free(&f);
    return status;
}

typedef struct kruskal {
    forest f;
    spd_pair_list kept;
    int64_t most, full; /* largest component allowed; number of pairs at which a reduction is worth its sort */
    double floor;
} kruskal;

/* Joins the pairs kept so far, largest first. Pairs that close a cycle carry no information. The first pair that would make a
 * component too large gives the new floor, and all pairs below it are dropped. */
static void reduce(kruskal *k) {
    int64_t used = 0;
    forest_reset(&k->f);
    if (k->kept.count > 0) qsort(k->kept.pair, (size_t)k->kept.count, sizeof *k->kept.pair, spd_pair_by_size);
    for (int64_t e = 0; e < k->kept.count; e++) {
        const spd_pair pair = k->kept.pair[e];
        const int32_t a = root(&k->f, pair.i), b = root(&k->f, pair.j);
        if (a == b) continue;
        if (k->f.size[a] + k->f.size[b] > k->most) {
            k->floor = fmax(k->floor, fabs(pair.s));
            break;
        }
        join(&k->f, a, b);
        k->kept.pair[used++] = pair;
    }
    k->kept.count = used;
}

static spdhg_status take_forest(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err) {
    kruskal *k = context;
    for (int64_t e = 0; e < pairs; e++)
        if (fabs(pair[e].s) > k->floor) SPD_TRY(spd_pair_add(&k->kept, pair[e].i, pair[e].j, pair[e].s, err));
    if (k->kept.count > k->full) reduce(k);
    *floor = k->floor;
    return SPDHG_OK;
}

spdhg_status spd_screen_rho(const spd_columns *c, int threads, double floor, int64_t most, double *rho, spdhg_error *err) {
    kruskal k = {.most = most, .full = 4 * c->features + 200000, .floor = floor};
    spdhg_status status = forest_new(&k.f, c->features, err);
    if (status == SPDHG_OK && c->features > most) status = spd_pairs(c, threads, floor, take_forest, &k, err);
    if (status == SPDHG_OK) reduce(&k);
    *rho = k.floor;
    forest_free(&k.f);
    spd_free(k.kept.pair);
    return status;
}

/* x with P(standard normal > x) = tail, by Newton's method on the logarithm of the tail, which is concave. */
static double normal_quantile(double tail) {
    double x = sqrt(fmax(0, -2 * log(2 * tail)));
    for (int k = 0; k < 50; k++) {
        const double q = 0.5 * erfc(x * M_SQRT1_2), density = exp(-x * x / 2) / sqrt(2 * M_PI);
        x += log(q / tail) * q / density;
    }
    return x;
}

double spd_noise_level(const spd_columns *c) {
    const double d = (double)c->features;
    const double level = normal_quantile(0.05 / (2 * fmax(1, d * d))) / sqrt((double)c->rows);
    return c->average_variance * fmin(level, 1);
}

typedef struct top {
    spd_pair_list kept;
    int64_t n;
    double floor, largest;
} top;

static void keep_top(top *t) {
    qsort(t->kept.pair, (size_t)t->kept.count, sizeof *t->kept.pair, spd_pair_by_size);
    if (t->kept.count < t->n) return;
    t->kept.count = t->n;
    t->floor = fabs(t->kept.pair[t->n - 1].s);
}

static spdhg_status take_top(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err) {
    top *t = context;
    for (int64_t e = 0; e < pairs; e++) {
        t->largest = fmax(t->largest, fabs(pair[e].s));
        if (fabs(pair[e].s) > t->floor) SPD_TRY(spd_pair_add(&t->kept, pair[e].i, pair[e].j, pair[e].s, err));
    }
    if (t->kept.count > 2 * t->n + 100000) keep_top(t);
    *floor = t->floor;
    return SPDHG_OK;
}

spdhg_status spd_nth_largest(const spd_columns *c, int threads, int64_t n, double *nth, double *largest, spdhg_error *err) {
    top t = {.n = n};
    const spdhg_status status = spd_pairs(c, threads, 0, take_top, &t, err);
    if (t.kept.count > 0) keep_top(&t);
    *nth = t.floor;
    *largest = t.largest;
    spd_free(t.kept.pair);
    return status;
}
