/* test_laws_penalty.c - the laws every penalty obeys, and the two projections with algorithms of their own.
 * r(z) = max over Y of <y, z>; the projection onto lambda Y lies inside and is idempotent, non-expansive and nearest (variational
 * inequality). */
#include "laws.h"
#include "own_penalties.h"

#include "la/la.h"
#include "penalty/penalty.h"

enum { SIZE = 60 };

typedef struct subject {
    const spd_penalty *r;
    int64_t rows, K, n;
    double *work;
} subject;

static void project(const subject *s, double lambda, const double *y, double *out) {
    memcpy(out, y, (size_t)s->n * sizeof *y);
    s->r->project(s->r, s->rows, s->K, lambda, out, s->work);
}

static void laws_at(const subject *s, double lambda, const double *y, const double *v) {
    const char *name = s->r->name;
    double py[SIZE], pv[SIZE], again[SIZE], z[SIZE], support[SIZE];
    project(s, lambda, y, py);
    project(s, lambda, v, pv);
    project(s, lambda, py, again);
    const double size = 1e-12 * (lambda + spd_norm2(s->n, y) + spd_norm2(s->n, v));
    assert_at_most(name, s->r->polar(s->r, s->rows, s->K, py, s->work), lambda * (1 + 1e-12));
    assert_at_most(name, spd_norm2(s->n, py), lambda * s->r->radius(s->r, s->rows, s->K) * (1 + 1e-12));
    assert_near(name, law_distance(s->n, py, again), 0, 1e-12 * lambda);
    assert_at_most(name, law_distance(s->n, py, pv), law_distance(s->n, y, v) + size);
    double nearest = 0; /* <y - Py, q - Py> <= 0 for every q in lambda Y */
    for (int64_t i = 0; i < s->n; i++) nearest += (y[i] - py[i]) * (pv[i] - py[i]);
    assert_at_most(name, nearest, size * (1 + lambda * s->r->radius(s->r, s->rows, s->K)));
    if (s->r->polar(s->r, s->rows, s->K, y, s->work) <= lambda * (1 - 1e-12)) assert_near(name, law_distance(s->n, y, py), 0, 0);

    const double value = s->r->value(s->r, s->rows, s->K, y, s->work), error = 1e-9 * (1 + value);
    assert_at_most(name, law_dot(s->n, pv, y) / lambda, value + error); /* no member of Y gives a larger value */
    for (int64_t i = 0; i < s->n; i++) z[i] = 1e6 * y[i];               /* far out, the projection attains the maximum */
    project(s, 1, z, support);
    assert_near(name, law_dot(s->n, support, y), value, 1e-4 * (1 + value));
    const double polar = s->r->polar(s->r, s->rows, s->K, v, s->work); /* the polar norm: <v,y> <= polar(v) r(y) */
    if (value > 0) assert_at_most(name, law_dot(s->n, v, y), polar * value * (1 + 1e-12) + 1e-12);
    const double inner =
        s->r->inner(s->r, s->rows, s->K); /* the ball of that radius is inside, so that polar(v) <= ||v||/inner */
    if (inner > 0) assert_at_most(name, polar, spd_norm2(s->n, v) / inner * (1 + 1e-12));
}

static void laws_of(const spd_penalty *r, int64_t rows, int64_t K) {
    subject s = {.r = r, .rows = rows, .K = K, .n = rows * K, .work = SPD_NEW(double, r->work ? r->work(r, rows, K) : 0)};
    double y[SIZE], v[SIZE];
    for (uint64_t i = 0; i < 60; i++) {
        const double lambda = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.1 : 20;
        law_normals(1000 + 2 * i, s.n, i % 5 ? 1 : 30, y);
        law_normals(1001 + 2 * i, s.n, i % 7 ? 1 : 1e-3, v);
        if (i % 4 == 1) /* ties and zeros */
            for (int64_t j = 0; j < s.n; j++) y[j] = rint(y[j]);
        laws_at(&s, lambda, y, v);
    }
    memset(y, 0, sizeof y);
    assert_true(r->value(r, rows, K, y, s.work) == 0 && r->polar(r, rows, K, y, s.work) == 0);
    r->project(r, rows, K, 1, y, s.work);
    for (int64_t j = 0; j < s.n; j++) assert_true(y[j] == 0);
    law_normals(7, s.n, 1, y);
    r->project(r, rows, K, 0, y, s.work); /* lambda = 0: Y is the origin */
    for (int64_t j = 0; j < s.n; j++) assert_near(r->name, y[j], 0, 1e-14);
    double corner[SIZE]; /* the radius is attained: it is the smallest possible */
    law_normals(8, s.n, 1e9, corner);
    r->project(r, rows, K, 1, corner, s.work);
    if (r != &spd_penalty_linf && r != &own_falls) /* their corners are where numbers are equal, or negative */
        assert_near(r->name, spd_norm2(s.n, corner), r->radius(r, rows, K), 1e-6 * r->radius(r, rows, K));
    spd_free(s.work);
}

/* The declared form of r and of its zeros is right: the proximal step of r is z - Pi_Y(z), and it is 0 exactly where `zeros`
 * says. */
static void properties_hold(void **unused) {
    (void)unused;
    enum { ROWS = 6 };
    int entries;
    const spd_penalty *const *table = spd_penalty_table(&entries);
    for (int i = 0; i < entries; i++) {
        const spd_penalty *r = table[i];
        double z[2 * ROWS], left[2 * ROWS], work[1000];
        assert_true((r->work ? r->work(r, ROWS, 2) : 0) <= 1000 && r->sum_of_sizes + r->length + r->largest_size <= 1);
        assert_true(!r->sum_of_sizes || r->zeros == SPDHG_ZEROS_NUMBER);
        for (uint64_t trial = 0; trial < 50; trial++) {
            law_normals(77 + trial, 2 * ROWS, trial % 2 ? 0.3 : 1, z);
            const double value = r->value(r, ROWS, 2, z, work), n = 2 * ROWS;
            if (r->sum_of_sizes) assert_near(r->name, value, spd_sum_abs(2 * ROWS, z), 1e-14 * n);
            if (r->length) assert_near(r->name, value, spd_norm2(2 * ROWS, z), 1e-14 * n);
            if (r->largest_size) assert_near(r->name, value, spd_max_abs(2 * ROWS, z), 0);
            memcpy(left, z, sizeof left);
            r->project(r, ROWS, 2, 1, left, work);
            int zeros = 0;
            for (int k = 0; k < 2 * ROWS; k++) zeros += left[k] == z[k];
            if (r->zeros == SPDHG_ZEROS_NUMBER)
                for (int k = 0; k < 2 * ROWS; k++) assert_true((left[k] == z[k]) == (fabs(z[k]) <= 1));
            if (r->zeros == SPDHG_ZEROS_BLOCK) assert_true(zeros == (spd_norm2(2 * ROWS, z) <= 1 ? 2 * ROWS : 0));
        }
    }
}

static void every_penalty(void **unused) {
    (void)unused;
    int entries;
    const spd_penalty *const *table = spd_penalty_table(&entries);
    assert_true(entries >= 4);
    for (int i = 0; i < entries; i++) {
        laws_of(table[i], 1, 1);
        laws_of(table[i], 7, 1);
        laws_of(table[i], 1, 3);
        laws_of(table[i], 2, 3);
        laws_of(table[i], 20, 3);
        assert_near(table[i]->name, table[i]->value(table[i], 0, 3, NULL, NULL), 0, 0);
    }
}

static void own_penalties(void **unused) {
    (void)unused;
    const spd_penalty *const own[] = {&own_sorted, &own_large, &own_small, &own_falls};
    for (int i = 0; i < 4; i++) {
        laws_of(own[i], 1, 1);
        laws_of(own[i], 7, 1);
        laws_of(own[i], 2, 3);
    }
}

static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

/* The textbook method: sort, take the longest prefix that stays positive. absolute: the l1 ball, otherwise the simplex. */
static void reference(int64_t n, double radius, const double *v, bool absolute, double *out) {
    double *u = SPD_NEW(double, n);
    for (int64_t i = 0; i < n; i++) u[i] = absolute ? fabs(v[i]) : v[i];
    long double total = 0, sum = 0, theta = 0;
    for (int64_t i = 0; i < n; i++) total += u[i];
    qsort(u, (size_t)n, sizeof *u, descending);
    for (int64_t i = 0; i < n; i++) {
        sum += u[i];
        if (u[i] > (sum - radius) / (long double)(i + 1)) theta = (sum - radius) / (long double)(i + 1);
    }
    if (absolute && total <= radius) theta = 0;
    for (int64_t i = 0; i < n; i++) {
        const long double left = (absolute ? fabsl((long double)v[i]) : (long double)v[i]) - theta;
        out[i] = left > 0 ? (double)(absolute && v[i] < 0 ? -left : left) : 0;
    }
    spd_free(u);
}

static void simplex_equals_sorting(void **unused) {
    (void)unused;
    enum { N = 500 };
    double v[N], ours[N], theirs[N], work[N];
    for (uint64_t i = 0; i < 300; i++) {
        const int64_t n = i % 3 == 0 ? 1 + (int64_t)(i % 5) : N;
        const double radius = i % 4 == 0 ? 1e-3 : i % 4 == 1 ? 1 : i % 4 == 2 ? 37 : 1e4, scale = i % 5 ? 1 : 1e5;
        law_normals(i, n, scale, v);
        if (i % 2)
            for (int64_t j = 0; j < n; j++) v[j] = rint(v[j] / scale); /* many ties and zeros */
        for (int absolute = 0; absolute < 2; absolute++) {
            memcpy(ours, v, sizeof ours);
            reference(n, radius, v, absolute, theirs);
            if (absolute)
                spd_project_l1_ball(n, radius, ours, work);
            else
                spd_project_simplex(n, radius, ours, work);
            for (int64_t j = 0; j < n; j++) /* the reference cancels: 1e-19 * the sum is the rounding of a long double */
                assert_near("simplex", ours[j], theirs[j], 1e-12 * radius + 1e-17 * scale);
            if (!absolute) assert_near("sum", spd_sum(n, ours), radius, 1e-12 * radius);
        }
    }
}

static void simplex_extremes(void **unused) {
    (void)unused;
    double work[4], huge[4] = {1e15, -1e15, 1e15, 3}, inside[4] = {0.25, -0.5, 0, 0.25}, zero[4] = {1, -2, 0, 3},
                    tied[4] = {0.1, 0.1, 0.1, 0.1};
    spd_project_l1_ball(4, 1, huge, work); /* nothing cancels: three ties share the radius */
    for (int i = 0; i < 3; i++) assert_near("huge", fabs(huge[i]), 1.0 / 3, 1e-16);
    assert_true(huge[1] < 0 && huge[3] == 0);
    spd_project_l1_ball(4, 1, inside, work);
    assert_true(inside[0] == 0.25 && inside[1] == -0.5 && inside[3] == 0.25);
    spd_project_l1_ball(4, 0, zero, work);
    for (int i = 0; i < 4; i++) assert_true(zero[i] == 0);
    spd_project_simplex(4, 1e-300, tied, work);
    for (int i = 0; i < 4; i++) assert_near("tied", tied[i], 2.5e-301, 1e-316);
    spd_project_simplex(0, 1, NULL, NULL);
    spd_project_l1_ball(0, 1, NULL, NULL);
    double odd[2] = {1, NAN};
    spd_project_l1_ball(2, 0.5, odd, work);
    assert_true(isnan(odd[0]) || isnan(odd[1])); /* NaN is not hidden */
}

/* Y = Q diag(s) R' with explicit rotations Q, R: the singular values are known without a decomposition. */
static void nuclear_known(void **unused) {
    (void)unused;
    const double a = 0.7, b = -1.1, s[2] = {5, 0.5};
    const double Q[3][2] = {{cos(a), -sin(a)}, {sin(a), cos(a)}, {0, 0}}, R[2][2] = {{cos(b), -sin(b)}, {sin(b), cos(b)}};
    double y[6], wanted[6], work[400];
    assert_true(spd_penalty_nuclear.work(&spd_penalty_nuclear, 3, 2) <= 400);
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 2; k++) {
            y[2 * e + k] = Q[e][0] * s[0] * R[k][0] + Q[e][1] * s[1] * R[k][1];
            wanted[2 * e + k] = Q[e][0] * 2 * R[k][0] + Q[e][1] * s[1] * R[k][1]; /* 5 is clipped at 2, 0.5 stays */
        }
    assert_near("value", spd_penalty_nuclear.value(&spd_penalty_nuclear, 3, 2, y, work), 5.5, 1e-14);
    assert_near("polar", spd_penalty_nuclear.polar(&spd_penalty_nuclear, 3, 2, y, work), 5, 1e-14);
    double same[6];
    memcpy(same, y, sizeof y);
    spd_penalty_nuclear.project(&spd_penalty_nuclear, 3, 2, 5.01, same,
                                work); /* inside, though longer than 5.01: no bit may change */
    assert_memory_equal(same, y, sizeof y);
    spd_penalty_nuclear.project(&spd_penalty_nuclear, 3, 2, 2, y, work);
    for (int i = 0; i < 6; i++) assert_near("clipped", y[i], wanted[i], 1e-14);
    double odd[6] = {1, 2, NAN, 4, 5, 6};
    spd_penalty_nuclear.project(&spd_penalty_nuclear, 3, 2, 2, odd, work);
    assert_true(isnan(odd[2]) && isnan(spd_penalty_nuclear.value(&spd_penalty_nuclear, 3, 2, odd, work)));
}

static void known_values(void **unused) {
    (void)unused;
    const double z[4] = {3, -4, 0, 12};
    double y[4] = {3, -4, 0, 12}, work[4];
    assert_true(spd_penalty_l1.value(&spd_penalty_l1, 2, 2, z, work) == 19 &&
                spd_penalty_group.value(&spd_penalty_group, 4, 1, z, work) == 13 &&
                spd_penalty_linf.value(&spd_penalty_linf, 4, 1, z, work) == 12);
    spd_penalty_group.project(&spd_penalty_group, 4, 1, 1.3, y, work);
    for (int i = 0; i < 4; i++) assert_near("group", y[i], z[i] / 10, 1e-15);
    assert_true(spd_penalty_l1.block == SPDHG_BLOCK_ROW && !spd_penalty_l1.groups_ok && spd_penalty_group.groups_ok);
    assert_near("radius", spd_penalty_nuclear.radius(&spd_penalty_nuclear, 9, 4), 2, 0);
    const spd_penalty *found;
    spdhg_error err;
    assert_int_equal(spd_penalty_find("linf", &found, &err), SPDHG_OK);
    assert_ptr_equal(found, &spd_penalty_linf);
    assert_int_equal(spd_penalty_find("l1:2", &found, &err), SPDHG_USAGE);
    assert_null(found);
    assert_string_equal(err.message, "unknown penalty 'l1:2'; did you mean 'l1'? Expected one of: l1, group, linf, nuclear");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_penalty),    cmocka_unit_test(own_penalties),
                                       cmocka_unit_test(properties_hold),  cmocka_unit_test(simplex_equals_sorting),
                                       cmocka_unit_test(simplex_extremes), cmocka_unit_test(nuclear_known),
                                       cmocka_unit_test(known_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
