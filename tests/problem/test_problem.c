/* test_problem.c - terms, samplers, objective, gradient, intercept, scaling: each against a plain second computation. */
#include "small.h"

static double x_at(int64_t j) { return 0.3 * small_normal(99, j); }

static double *some_x(int64_t n) {
    double *x = SPD_NEW(double, n);
    for (int64_t j = 0; j < n; j++) x[j] = x_at(j);
    return x;
}

/* The fused dual step equals apply, add, project, transpose, for every penalty on every structure, K = 1 and 3. */
static void fused_dual_step_is_the_plain_one(void **unused) {
    (void)unused;
    int penalties;
    const spd_penalty *const *penalty = spd_penalty_table(&penalties);
    static const char *const structure[] = {"identity", "chain", "trend:1", "grid:3x4"};
    for (int i = 0; i < penalties; i++)
        for (size_t f = 0; f < 4; f++)
            for (int64_t targets = 1; targets <= 3; targets += 2) {
                const bool grouped = penalty[i]->groups_ok && (targets == 1 || f == 3);
                const small_spec o = SMALL(20, 12, 1, "squared", penalty[i]->name, structure[f], 0.1,
                                           .group_count = grouped ? 4 : 0, .targets = targets);
                small s = small_make(&o, 1);
                const spd_term *t = &s.problem->term[0];
                const int64_t K = s.problem->K, m = t->m * K, n = s.problem->dK;
                double *x = some_x(n), *work = SPD_NEW(double, spd_term_work(t, K));
                double *y1 = some_x(m), *y2 = some_x(m), *z = SPD_NEW(double, m), *sum = SPD_NEW(double, m), *g1 = some_x(n),
                       *g2 = some_x(n);
                spd_term_project(t, K, y1, work);
                memcpy(y2, y1, (size_t)m * sizeof *y1);
                for (int round = 0; round < 3; round++) {
                    spd_term_apply(t, K, x, z);
                    spd_axpy(m, 0.2, z, y1);
                    spd_term_project(t, K, y1, work);
                    spd_term_add_transposed(t, K, y1, g1);
                    spd_term_dual_step(t, &t->F->F, K, 0.2, x, y2, 2, sum, g2, work);
                    assert_true(largest_difference(m, y1, y2) <= 1e-14);
                    assert_true(largest_difference(n, g1, g2) <= 1e-13);
                    spd_axpy(m, -2, y1, sum);
                    assert_true(spd_max_abs(m, sum) <= 1e-13);
                    memset(sum, 0, (size_t)m * sizeof *sum);
                }
                assert_true(spd_norm2(m, y1) <= spd_term_radius(t, K) * (1 + 1e-12));
                spd_free(x), spd_free(work), spd_free(y1), spd_free(y2), spd_free(z), spd_free(sum), spd_free(g1), spd_free(g2);
                small_free(&s);
            }
}

/* Draws follow w_i / W and never have zero weight; the same k gives the same rows; shuffle visits every row once an epoch with
 * factor N w / W. */
static void sampler_is_fair(void **unused) {
    (void)unused;
    const small_spec o = SMALL(40, 4, 1, "squared", "l1", "identity", 0.1, .weights = true);
    small s = small_make(&o, 1);
    spd_sampler sampler;
    GOOD(spd_sampler_new(&sampler, s.problem, SPDHG_SAMPLING_IID, 3, 2, &good_err));
    double count[40] = {0};
    spd_row row[40], again[2];
    for (int64_t k = 0; k < 60000; k++) {
        spd_sampler_draw(&sampler, k, row);
        count[row[0].id]++;
        count[row[1].id]++;
    }
    spd_sampler_draw(&sampler, 59999, again);
    assert_int_equal(row[0].id, again[0].id);
    for (int64_t i = 0; i < 40; i++) {
        const double expected = 120000 * (double)(i % 4) / 60;
        if (i % 4 == 0)
            assert_true(count[i] == 0);
        else
            assert_true(fabs(count[i] - expected) < 5 * sqrt(expected));
    }
    spd_sampler_free(&sampler);
    GOOD(spd_sampler_new(&sampler, s.problem, SPDHG_SAMPLING_SHUFFLE, 3, 40, &good_err));
    for (int64_t epoch = 0; epoch < 3; epoch++) {
        bool visited[40] = {false};
        spd_sampler_draw(&sampler, epoch, row);
        for (int64_t i = 0; i < 40; i++) {
            assert_false(visited[row[i].id]);
            visited[row[i].id] = true;
            assert_true(fabs(row[i].weight - 40 * (double)(row[i].id % 4) / 60) < 1e-15);
        }
    }
    spd_sampler_free(&sampler);
    small_free(&s);
}

/* The gradient is the finite difference of the loss part; the objective has the same bits for any number of threads. */
static void gradient_is_the_derivative(void **unused) {
    (void)unused;
#define GIVEN(loss, ...) SMALL(5000, 8, 0.6, loss, "l1", "identity", 0, .weights = true, .offset = true, __VA_ARGS__)
    static const small_spec kind[] = {GIVEN("logistic", .classes = 2),      GIVEN("squared", .targets = 3),
                                      GIVEN("squared-hinge", .classes = 2), GIVEN("smooth-hinge:0.5", .classes = 2),
                                      GIVEN("huber:1", .classes = 0),       GIVEN("softmax", .classes = 4)};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        small s = small_make(&kind[i], i + 1);
        spdhg_problem *p = s.problem;
        double *x = some_x(p->dK), *g = SPD_NEW(double, p->dK), *g3 = SPD_NEW(double, p->dK), *gc = SPD_NEW(double, p->K);
        double *scratch = SPD_NEW(double, spd_problem_value_work(p) + spd_problem_gradient_work(p));
        spd_problem_gradient(p, 1, x, NULL, g, gc, NULL, scratch);
        spd_problem_gradient(p, 3, x, NULL, g3, gc, NULL, scratch);
        assert_memory_equal(g, g3, (size_t)p->dK * sizeof *g);
        for (int64_t q = 0; q < p->dK; q++) {
            spd_value up, down;
            const double keep = x[q], h = 1e-5;
            x[q] = keep + h;
            spd_problem_value(p, 1, x, NULL, NULL, NULL, scratch, &up, NULL);
            x[q] = keep - h;
            spd_problem_value(p, 3, x, NULL, NULL, NULL, scratch, &down, NULL);
            x[q] = keep;
            assert_true(fabs((up.loss - down.loss) / (2 * h) - g[q]) < 1e-7);
        }
        spd_value one, three;
        spd_problem_value(p, 1, x, NULL, NULL, NULL, scratch, &one, NULL);
        spd_problem_value(p, 3, x, NULL, NULL, NULL, scratch, &three, NULL);
        assert_memory_equal(&one, &three, sizeof one);
        spd_free(x), spd_free(g), spd_free(g3), spd_free(gc), spd_free(scratch);
        small_free(&s);
    }
}

/* The product with the Hessian is the derivative of the gradient, and the dense matrix gives the same product. */
static void hessian_is_the_derivative(void **unused) {
    (void)unused;
#define GIVEN_ALL(loss, d, part, ...)                                                                                            \
    SMALL(5000, d, part, loss, "l1", "identity", 0, .weights = true, .offset = true, .intercept = true, __VA_ARGS__)
    static const small_spec kind[] = {GIVEN_ALL("logistic", 6, 0.5, .classes = 2),   GIVEN_ALL("logistic", 6, 1, .classes = 2),
                                      GIVEN_ALL("logistic", 24, 0.25, .classes = 2), /* not by panels */
                                      GIVEN_ALL("squared", 6, 0.5, .targets = 3),    GIVEN_ALL("softmax", 6, 0.5, .classes = 4),
                                      GIVEN_ALL("softmax", 6, 1, .classes = 3)};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        small s = small_make(&kind[i], i + 1);
        spdhg_problem *p = s.problem;
        const int64_t K = p->K, n = spd_problem_normal_size(p);
        double *x = some_x(n), *up = some_x(n), *down = some_x(n), *dir = some_x(n), *g1 = SPD_NEW(double, n),
               *g2 = SPD_NEW(double, n), *hp = SPD_NEW(double, n);
        double *curve = SPD_NEW(double, p->n *K), *H = SPD_NEW(double, n *n);
        double *scratch = SPD_NEW(double, spd_problem_gradient_work(p) + spd_problem_normal_work(p, 3));
        const double h = 1e-5;
        for (int64_t q = 0; q < n; q++) dir[q] = small_normal(5, q), up[q] = x[q] + h * dir[q], down[q] = x[q] - h * dir[q];
        spd_problem_scores(p, 1, x, curve);
        for (int64_t r = 0; r < p->n * K; r++) {
            curve[r] += x[p->dK + r % K];
            if (p->loss->value) curve[r] = p->loss->second(curve[r], p->b[r], p->loss_arg);
        }
        spd_problem_gradient(p, 1, up, up + p->dK, g1, g1 + p->dK, NULL, scratch);
        spd_problem_gradient(p, 1, down, down + p->dK, g2, g2 + p->dK, NULL, scratch);
        spd_problem_normal_product(p, 2, curve, dir, dir + p->dK, hp, hp + p->dK, scratch);
        for (int64_t q = 0; q < n; q++) assert_true(fabs((g1[q] - g2[q]) / (2 * h) - hp[q]) < 1e-7);
        assert_true(spd_problem_normal_matrix(p, 1, curve, H, scratch, NULL));
        for (int64_t r = 0; r < n; r++) {
            double sum = 0;
            for (int64_t q = 0; q < n; q++) sum += (q <= r ? H[r * n + q] : H[q * n + r]) * dir[q];
            assert_true(fabs(sum - hp[r]) < 1e-11);
        }
        spd_free(x), spd_free(up), spd_free(down), spd_free(dir), spd_free(g1), spd_free(g2), spd_free(hp), spd_free(curve),
            spd_free(H), spd_free(scratch);
        small_free(&s);
    }
}

/* At the best intercept the derivative in c vanishes, and the c of softmax sums to 0. */
static void intercept_is_the_minimiser(void **unused) {
    (void)unused;
#define FREE(loss, ...) SMALL(3000, 8, 0.6, loss, "l1", "identity", 0, .weights = true, .intercept = true, __VA_ARGS__)
    static const small_spec kind[] = {FREE("logistic", .classes = 2),      FREE("squared", .targets = 3),
                                      FREE("squared-hinge", .classes = 2), FREE("smooth-hinge:0.1", .classes = 2),
                                      FREE("huber:0.1", .targets = 2),     FREE("softmax", .classes = 5)};
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        small s = small_make(&kind[i], i + 1);
        spdhg_problem *p = s.problem;
        double *x = some_x(p->dK), *g = SPD_NEW(double, p->dK), *gc = SPD_NEW(double, p->K), *c = SPD_NEW(double, p->K),
               total = 0;
        double *scratch = SPD_NEW(double, spd_problem_value_work(p) + spd_problem_gradient_work(p));
        spd_value value;
        for (int64_t k = 0; k < p->K; k++) c[k] = 30; /* a bad start */
        spd_problem_value(p, 2, x, c, NULL, NULL, scratch, &value, NULL);
        spd_problem_gradient(p, 1, x, c, g, gc, NULL, scratch);
        if (!(spd_max_abs(p->K, gc) < 1e-12)) fail_msg("%s: slope %g at the intercept", kind[i].loss, spd_max_abs(p->K, gc));
        for (int64_t k = 0; k < p->K; k++) total += c[k];
        if (kind[i].classes > 2) assert_true(fabs(total) < 1e-12);
        spd_free(x), spd_free(g), spd_free(gc), spd_free(c), spd_free(scratch);
        small_free(&s);
    }
}

/* Standardised columns have weighted population variance 1; constant ones are unchanged; 1e300 does not overflow. */
static void columns_are_scaled(void **unused) {
    (void)unused;
    const int64_t n = 50, d = 4;
    double *val = SPD_NEW(double, n *d), *b = SPD_NEW(double, n), *w = SPD_NEW(double, n);
    for (int64_t i = 0; i < n; i++) {
        b[i] = (double)(i % 2);
        w[i] = (double)(i % 3);
        val[i * d] = 5 + small_normal(1, i);
        val[i * d + 1] = 7.3;
        val[i * d + 2] = 1e300 * small_normal(2, i);
        val[i * d + 3] = 1e-200 * small_normal(3, i);
    }
    spdhg_data *data;
    spdhg_problem *p;
    GOOD(spdhg_data_from_csr(&data, n, d, NULL, NULL, val, b, 1, SPDHG_BORROW, &good_err));
    GOOD(spdhg_data_set_weights(data, w, &good_err));
    GOOD(spdhg_problem_new(&p, data, "logistic", &good_err));
    GOOD(spdhg_problem_standardize(p, true, &good_err));
    GOOD(spd_problem_freeze(p, &good_err));
    assert_true(p->scale[1] == 1);
    for (int64_t j = 0; j < d; j++) {
        double mean = 0, square = 0;
        for (int64_t i = 0; i < n; i++) mean += w[i] * p->val[i * d + j] / p->W;
        for (int64_t i = 0; i < n; i++) square += w[i] * (p->val[i * d + j] - mean) * (p->val[i * d + j] - mean) / p->W;
        if (j != 1) assert_true(fabs(square - 1) < 1e-10);
    }
    spdhg_problem_free(p);
    spdhg_error err;
    GOOD(spdhg_problem_new(&p, data, "logistic", &good_err));
    assert_int_equal(spd_problem_freeze(p, &err), SPDHG_DATA); /* unscaled, the norms overflow: an error is reported */
    assert_non_null(strstr(err.message, "--standardize"));
    spdhg_problem_free(p);
    spdhg_data_free(data);
    spd_free(val), spd_free(b), spd_free(w);
}

/* Labels: any two values by sorted order; three are refused with counts; one needs permission; class weights. */
static void labels_are_mapped(void **unused) {
    (void)unused;
    const double val[6] = {1, 2, 3, 4, 5, 6}, b[6] = {7, 3, 7, 7, 3, 7}, three[6] = {0, 1, 2, 0, 1, 2},
                 one[6] = {1, 1, 1, 1, 1, 1};
    const double *const labels[3] = {b, three, one};
    static const char *const want[3] = {NULL, "--loss softmax", "--allow-one-class"};
    for (int i = 0; i < 3; i++) {
        spdhg_data *data;
        spdhg_problem *p;
        spdhg_error err;
        GOOD(spdhg_data_from_csr(&data, 6, 1, NULL, NULL, val, labels[i], 1, SPDHG_COPY, &good_err));
        GOOD(spdhg_problem_new(&p, data, "logistic", &good_err));
        GOOD(spdhg_problem_class_weight(p, i == 0 ? "balanced" : "1=2", &good_err));
        const spdhg_status status = spd_problem_freeze(p, &err);
        assert_int_equal(status, want[i] ? SPDHG_DATA : SPDHG_OK);
        if (want[i]) assert_non_null(strstr(err.message, want[i]));
        if (i == 0) {
            assert_true(p->b[0] == 1 && p->b[1] == -1 && p->class_value[0] == 3 && p->class_value[1] == 7);
            assert_true(p->weight[0] == 6.0 / (2 * 4) && p->weight[1] == 6.0 / (2 * 2));
        }
        spdhg_problem_free(p);
        spdhg_data_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_dual_step_is_the_plain_one),
        cmocka_unit_test(sampler_is_fair),
        cmocka_unit_test(gradient_is_the_derivative),
        cmocka_unit_test(hessian_is_the_derivative),
        cmocka_unit_test(intercept_is_the_minimiser),
        cmocka_unit_test(columns_are_scaled),
        cmocka_unit_test(labels_are_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
