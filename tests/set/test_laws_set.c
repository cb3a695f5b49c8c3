/* test_laws_set.c - the laws every set obeys: the projection lies inside and is idempotent, non-expansive and nearest; the
 * support function is the largest product and is attained; no two members are farther apart than the diameter. */
#include "laws.h"

#include "la/la.h"
#include "set/set.h"

enum { N = 12 };

static void project(const spd_set *X, const double *x, double *out) {
    double work[N];
    memcpy(out, x, N * sizeof *x);
    X->kind->project(N, X->arg, out, work);
}

/* The definitions again, written independently of the projections. */
static bool member(const spd_set *X, const double *x) {
    double sum = 0, size = 0, square = 0, low = INFINITY, high = -INFINITY;
    for (int j = 0; j < N; j++) {
        sum += x[j], size += fabs(x[j]), square += x[j] * x[j];
        low = fmin(low, x[j]), high = fmax(high, x[j]);
    }
    const double R = X->arg[0] * (1 + 1e-12);
    const char *name = X->kind->name;
    if (strcmp(name, "all") == 0) return true;
    if (strcmp(name, "ball") == 0) return sqrt(square) <= R;
    if (strcmp(name, "box") == 0) return low >= X->arg[0] && high <= X->arg[1];
    if (strcmp(name, "nonneg") == 0) return low >= 0;
    if (strcmp(name, "l1ball") == 0) return size <= R;
    if (strcmp(name, "simplex") == 0) return low >= 0 && fabs(sum - X->arg[0]) <= 1e-12 * R;
    fail_msg("set '%s' has no definition here", name);
    return false;
}

/* The declared properties of an entry are right. */
static void properties_of(const spd_set *X, const double *x, const double *px) {
    double low, high, minus[N], pm[N], sum = 0;
    spd_set_sides(X, &low, &high);
    for (int j = 0; j < N; j++) {
        assert_true(px[j] >= low && px[j] <= high);
        sum += px[j];
        minus[j] = -x[j];
    }
    if (X->kind->whole) assert_memory_equal(x, px, N * sizeof *x);
    if (X->kind->sum) assert_near(X->kind->name, sum, X->arg[0], 1e-12 * X->arg[0]);
    if (X->kind->length) assert_near(X->kind->name, spd_norm2(N, px), fmin(spd_norm2(N, x), X->arg[0]), 1e-12 * X->arg[0]);
    if (X->kind->sum_of_sizes)
        assert_near(X->kind->name, spd_sum_abs(N, px), fmin(spd_sum_abs(N, x), X->arg[0]), 1e-12 * X->arg[0]);
    if (X->kind->separable)
        for (int j = 0; j < N; j++) assert_true(px[j] == (x[j] < low ? low : x[j] > high ? high : x[j]));
    project(X, minus, pm);
    for (int j = 0; j < N && X->kind->symmetric; j++) assert_near(X->kind->name, pm[j], -px[j], 1e-14 * fabs(x[j]));
}

static void laws_of(const char *spec) {
    spd_set X;
    spdhg_error err;
    assert_int_equal(spd_set_find(spec, &X, &err), SPDHG_OK);
    const double diameter = X.kind->diameter(N, X.arg);
    double x[N], v[N], px[N], pv[N], again[N], u[N], far[N], attained[N];
    for (uint64_t i = 0; i < 200; i++) {
        const double scale = i % 3 == 0 ? 1 : i % 3 == 1 ? 0.1 : 50;
        law_normals(3 * i, N, scale, x);
        law_normals(3 * i + 1, N, i % 2 ? scale : 1, v);
        law_normals(3 * i + 2, N, 1, u);
        project(&X, x, px);
        project(&X, v, pv);
        project(&X, px, again);
        assert_true(member(&X, px) && member(&X, pv));
        properties_of(&X, x, px);
        if (member(&X, x) && strcmp(X.kind->name, "simplex") != 0) assert_memory_equal(x, px, sizeof x);
        assert_near(spec, law_distance(N, px, again), 0, 1e-12);
        assert_at_most(spec, law_distance(N, px, pv), law_distance(N, x, v) + 1e-12);
        assert_at_most(spec, law_distance(N, px, pv), diameter * (1 + 1e-12));
        double nearest = 0;
        for (int j = 0; j < N; j++) nearest += (x[j] - px[j]) * (pv[j] - px[j]);
        assert_at_most(spec, nearest, 1e-10 * (1 + scale * scale));
        if (strcmp(X.kind->name, "nonneg") == 0)
            for (int j = 0; j < N; j++) u[j] = -fabs(u[j]); /* where its support function is finite */
        const double support = X.kind->support(N, X.arg, u);
        assert_at_most(spec, law_dot(N, u, px), support + 1e-12 * (1 + fabs(support)));
        assert_at_most(spec, law_dot(N, u, pv), support + 1e-12 * (1 + fabs(support)));
        if (!isfinite(support)) continue;
        for (int j = 0; j < N; j++) far[j] = 1e7 * u[j];
        project(&X, far, attained);
        assert_near(spec, law_dot(N, u, attained), support, 1e-5 * (1 + fabs(support)));
    }
    const double zero[N] = {0};
    assert_true(X.kind->support(N, X.arg, zero) == 0);
}

static void every_set(void **unused) {
    (void)unused;
    static const char *const spec[] = {"all",           "ball:2", "ball:0.3", "box:-1,0.5",  "box:0,inf", "box:-inf,1",
                                       "box:-inf,+inf", "nonneg", "l1ball:3", "l1ball:1e-2", "simplex:1", "simplex:20"};
    int entries;
    const spd_set_kind *const *table = spd_set_table(&entries);
    for (int i = 0; i < entries; i++) { /* a new entry needs test data */
        bool there = false;
        for (size_t j = 0; j < sizeof spec / sizeof *spec; j++) there = there || spd_spec_is(spec[j], table[i]->name);
        if (!there) fail_msg("no test datum for set '%s'", table[i]->name);
    }
    for (size_t j = 0; j < sizeof spec / sizeof *spec; j++) laws_of(spec[j]);
}

/* Pairs of members as far apart as the diameter says. */
static void diameters_are_attained(void **unused) {
    (void)unused;
    const double R = 2, box[2] = {-1, 0.5};
    assert_near("ball", spd_set_ball.diameter(N, &R), 4, 0); /* R e_1 and -R e_1 */
    assert_near("l1ball", spd_set_l1ball.diameter(N, &R), 4, 0);
    assert_near("simplex", spd_set_simplex.diameter(N, &R), sqrt(8), 1e-15); /* R e_1 and R e_2 */
    assert_near("box", spd_set_box.diameter(N, box), 1.5 * sqrt(N), 1e-14);
    const double half[2] = {0, INFINITY};
    assert_true(isinf(spd_set_all.diameter(N, NULL)) && isinf(spd_set_nonneg.diameter(N, NULL)) &&
                isinf(spd_set_box.diameter(N, half)));
}

static void support_is_infinite_where_unbounded(void **unused) {
    (void)unused;
    const double u[2] = {0, 1}, down[2] = {0, -1}, half[2] = {0, INFINITY};
    assert_true(isinf(spd_set_all.support(2, NULL, u)) && isinf(spd_set_nonneg.support(2, NULL, u)) &&
                isinf(spd_set_box.support(2, half, u)));
    assert_true(spd_set_nonneg.support(2, NULL, down) == 0 && spd_set_box.support(2, half, down) == 0);
}

static void wrong_specifications(void **unused) {
    (void)unused;
    static const char *const wrong[] = {"ball",     "ball:",      "ball:0",        "ball:-1",     "ball:inf",      "ball:nan",
                                        "ball:1,2", "box:1",      "box:2,1",       "box:inf,inf", "box:1,nan",     "box:1 2",
                                        "nonneg:1", "all:",       "simplex:0",     "l1ball:x",    "box:-inf,-inf", "cube",
                                        "",         "ball:1e999", "box:0,infinity"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        spd_set X;
        spdhg_error err = {0};
        if (spd_set_find(wrong[i], &X, &err) != SPDHG_USAGE) fail_msg("'%s' was accepted", wrong[i]);
        assert_true(strlen(err.message) > 10);
    }
    spd_set X;
    spdhg_error err;
    spd_set_find("cube:1", &X, &err);
    assert_string_equal(err.message, "unknown set 'cube:1'; expected one of: all, ball, box, nonneg, l1ball, simplex");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_set), cmocka_unit_test(diameters_are_attained),
                                       cmocka_unit_test(support_is_infinite_where_unbounded),
                                       cmocka_unit_test(wrong_specifications)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
