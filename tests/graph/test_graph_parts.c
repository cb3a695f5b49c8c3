/* test_graph_parts.c - the parts of learning a graph against plain double loops: weighted covariances, pairs, the rows of a
 * fold. */
#include "graph/graph.h"
#include "small.h"
#include "structure/structure.h"

enum { N = 40, D = 23 };

/* Sparse rows with a full column, a constant one, an empty one, a duplicate, and two features that never occur together. */
static void fill(double *a) {
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) {
            const double x = small_normal(3, i * D + j);
            a[i * D + j] = x > 0.9 ? x : 0;
        }
    for (int64_t i = 0; i < N; i++) {
        a[i * D + 3] = 1e6 + a[i * D + 4] + 1; /* full: must be centred, otherwise six digits are lost */
        a[i * D + 7] = 2;
        a[i * D + 8] = 0;
        a[i * D + 9] = a[i * D + 1];
        a[i * D + 10] = i < 15 ? 1 : 0;
        a[i * D + 11] = i < 15 ? 0 : 3;
    }
}

static spdhg_data *make(const double *a, bool sparse, const double *weight) {
    int64_t ptr[N + 1] = {0}, nnz = 0;
    int32_t idx[N * D];
    double val[N * D], b[N] = {0};
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < D; j++)
            if (a[i * D + j] != 0) {
                idx[nnz] = (int32_t)j;
                val[nnz++] = a[i * D + j];
            }
        ptr[i + 1] = nnz;
    }
    spdhg_data *data;
    GOOD(spdhg_data_from_csr(&data, N, D, sparse ? ptr : NULL, sparse ? idx : NULL, sparse ? val : a, b, 1, SPDHG_COPY,
                             &good_err));
    if (weight) GOOD(spdhg_data_set_weights(data, weight, &good_err));
    return data;
}

/* Covariance of weighted rows by its definition: weights are scaled to sum to the number of rows with positive weight. */
static void reference(const double *a, const double *weight, bool covariance, double *S) {
    double total = 0, count = 0, mean[D] = {0};
    for (int64_t i = 0; i < N; i++) {
        total += weight ? weight[i] : 1;
        count += weight ? weight[i] > 0 : 1;
    }
    for (int64_t i = 0; i < N; i++)
        for (int64_t j = 0; j < D; j++) mean[j] += (weight ? weight[i] : 1) / total * a[i * D + j];
    for (int64_t j = 0; j < D; j++)
        for (int64_t k = 0; k < D; k++) {
            double sum = 0;
            for (int64_t i = 0; i < N; i++)
                sum += (weight ? weight[i] : 1) * count / total * (a[i * D + j] - mean[j]) * (a[i * D + k] - mean[k]);
            S[j * D + k] = sum / (count - 1);
        }
    double sd[D];
    for (int64_t j = 0; j < D; j++) sd[j] = sqrt(S[j * D + j]);
    for (int64_t j = 0; !covariance && j < D; j++)
        for (int64_t k = 0; k < D; k++) S[j * D + k] = sd[j] > 0 && sd[k] > 0 ? S[j * D + k] / (sd[j] * sd[k]) : 0;
}

typedef struct seen {
    double S[D * D];
    int64_t count;
    double floor;
} seen;

static spdhg_status take(void *context, const spd_pair *pair, int64_t pairs, double *floor, spdhg_error *err) {
    (void)floor;
    (void)err;
    seen *all = context;
    for (int64_t e = 0; e < pairs; e++) {
        assert_true(pair[e].i < pair[e].j && fabs(pair[e].s) > all->floor && all->S[pair[e].i * D + pair[e].j] == 0);
        all->S[pair[e].i * D + pair[e].j] = pair[e].s;
        all->count++;
    }
    return SPDHG_OK;
}

static void compare(const spd_columns *c, const double *S) {
    int32_t list[D], home[D] = {0}, place[D];
    double block[D * D], row[D], work[N] = {0};
    for (int32_t j = 0; j < D; j++) list[j] = place[j] = j;
    GOOD(spd_covariance_block(c, list, D, home, place, block, &good_err));
    for (int64_t k = 0; k < D * D; k++)
        if (!(fabs(block[k] - S[k]) < 1e-9))
            fail_msg("S(%d, %d) is %.15g, expected %.15g", (int)(k / D), (int)(k % D), block[k], S[k]);
    const double coefficient[3] = {2, -1, 0.5};
    const int32_t some[3] = {1, 3, 12};
    spd_covariance_times(c, 3, some, coefficient, work, row);
    for (int64_t j = 0; j < D; j++) assert_true(fabs(row[j] - (2 * S[j * D + 1] - S[j * D + 3] + 0.5 * S[j * D + 12])) < 1e-9);
    for (int64_t i = 0; i < N; i++) assert_true(work[i] == 0);
    for (double floor = 0.05; floor < 1; floor += 0.3) {
        seen all = {.floor = floor};
        int64_t wanted = 0;
        GOOD(spd_pairs(c, 3, floor, take, &all, &good_err));
        for (int64_t i = 0; i < D; i++)
            for (int64_t j = i + 1; j < D; j++) {
                if (fabs(S[i * D + j]) > floor + 1e-9) assert_true(fabs(all.S[i * D + j] - S[i * D + j]) < 1e-9);
                wanted += fabs(S[i * D + j]) > floor;
            }
        assert_int_equal(all.count, wanted);
    }
}

static void covariances(void **unused) {
    (void)unused;
    double a[N * D], weight[N], S[D * D];
    fill(a);
    for (int64_t i = 0; i < N; i++) weight[i] = (double)(i % 3);
    for (int variant = 0; variant < 8; variant++) {
        const bool sparse = variant & 1, covariance = variant & 2, weighted = variant & 4;
        spdhg_data *data = make(a, sparse, weighted ? weight : NULL);
        spd_columns *c;
        GOOD(spd_columns_new(&c, data, NULL, 0, covariance, 2, &good_err));
        assert_true((c->X == NULL) == sparse);
        assert_int_equal(c->constants, 2);
        reference(a, weighted ? weight : NULL, covariance, S);
        for (int64_t j = 0; j < D; j++)
            S[7 * D + j] = S[j * D + 7] = S[8 * D + j] = S[j * D + 8] = 0; /* constant: not even rounding */
        compare(c, S);
        spd_columns_free(c);
        spdhg_data_free(data);
    }
}

/* The rows of a fold give the same result as a data set of only these rows. */
static void some_rows(void **unused) {
    (void)unused;
    double a[N * D];
    fill(a);
    int64_t row[N], rows = 0;
    for (int64_t i = 0; i < N; i++)
        if (i % 4 != 1) row[rows++] = i;
    for (int sparse = 0; sparse < 2; sparse++) {
        spdhg_data *data = make(a, sparse, NULL), *part;
        GOOD(spd_data_subset(&part, data, row, rows, &good_err));
        spdhg_graph_options o = SPDHG_GRAPH_OPTIONS;
        o.rho = 0.2;
        o.form = "precision";
        spdhg_structure *F, *G;
        spdhg_graph_report report;
        GOOD(spdhg_structure_learn(&F, data, row, rows, &o, &report, &good_err));
        GOOD(spdhg_structure_learn(&G, part, NULL, 0, &o, NULL, &good_err));
        assert_int_equal(report.rows, rows);
        assert_int_equal(spd_csr_nnz(&F->F), spd_csr_nnz(&G->F));
        assert_memory_equal(F->F.idx, G->F.idx, (size_t)spd_csr_nnz(&F->F) * sizeof *F->F.idx);
        assert_memory_equal(F->F.val, G->F.val, (size_t)spd_csr_nnz(&F->F) * sizeof *F->F.val);
        spdhg_structure_free(F);
        spdhg_structure_free(G);
        row[0] = N;
        assert_int_equal(spdhg_structure_learn(&F, data, row, rows, &o, NULL, NULL), SPDHG_USAGE);
        assert_null(F);
        row[0] = 0;
        spdhg_data_free(part);
        spdhg_data_free(data);
    }
}

/* Options out of their range, each with a message that names it. */
static void refused(void **unused) {
    (void)unused;
    double a[N * D];
    fill(a);
    spdhg_data *data = make(a, true, NULL);
    const struct {
        spdhg_graph_options o;
        const char *says;
    } wrong[] = {
        {{sizeof(spdhg_graph_options), "magic", "edge", "auto", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "method 'magic'"},
        {{sizeof(spdhg_graph_options), "quic", "node", "auto", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "form 'node'"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "dice", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "'dice'"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "auto", -1, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "rho is -1"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "auto", NAN, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL,
          NULL},
         "rho is"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "edges", 0, 0, 5, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "0 edges"},
        {{sizeof(spdhg_graph_options), "knn", "edge", "auto", 0, 0, 0, 1500, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "0 neighbours"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "auto", 0, 0, 5, 0, 1e-6, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "at most 0"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "auto", 0, 0, 5, 1500, 0, 0, false, false, false, 0, 0, 0, NULL, NULL},
         "tol is 0"},
        {{sizeof(spdhg_graph_options), "quic", "edge", "auto", 0, 0, 5, 1500, 1e-6, -1, false, false, false, 0, 0, 0, NULL, NULL},
         "threshold is -1"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        spdhg_structure *F;
        spdhg_error err;
        assert_int_equal(spdhg_structure_learn(&F, data, NULL, 0, &wrong[k].o, NULL, &err), SPDHG_USAGE);
        assert_null(F);
        if (!strstr(err.message, wrong[k].says)) fail_msg("'%s' is not in: %s", wrong[k].says, err.message);
    }
    spdhg_data_free(data);
}

/* Reading returns what was written. */
static void written(void **unused) {
    (void)unused;
    const int64_t ptr[3] = {0, 2, 3};
    const int32_t idx[3] = {0, 2, 1};
    const double val[3] = {1.0 / 3, -2e-300, 5};
    spdhg_structure *F, *G, *I;
    GOOD(spdhg_structure_from_csr(&F, 2, 3, ptr, idx, val, &good_err));
    GOOD(spdhg_structure_write(F, "test_graph_parts.mtx", &good_err));
    GOOD(spdhg_structure_new(&G, "matrix:test_graph_parts.mtx", 3, &good_err));
    assert_int_equal(spdhg_structure_rows(G), 2);
    assert_memory_equal(G->F.idx, idx, sizeof idx);
    assert_memory_equal(G->F.val, val, sizeof val);
    spdhg_structure_free(G);
    GOOD(spdhg_structure_new(&I, "identity", 3, &good_err));
    GOOD(spdhg_structure_write(I, "test_graph_parts.mtx", &good_err));
    GOOD(spdhg_structure_new(&G, "matrix:test_graph_parts.mtx", 3, &good_err));
    assert_true(spdhg_structure_rows(G) == 3 && G->F.val[2] == 1 && G->F.idx[2] == 2);
    remove("test_graph_parts.mtx");
    spdhg_structure_free(F);
    spdhg_structure_free(G);
    spdhg_structure_free(I);
}

/* A ring of complete graphs, joined by single edges, and one node far from them: modularity is greatest with one cluster for
 * each of them, and node k stands in graph k % RING. */
static void clusters(void **state) {
    (void)state;
    enum { RING = 6, SIZE = 5, NODES = RING * SIZE };
    spd_pair_list edge = {0};
    for (int32_t g = 0; g < RING; g++) {
        for (int32_t a = 0; a < SIZE; a++)
            for (int32_t b = a + 1; b < SIZE; b++) GOOD(spd_pair_add(&edge, g + RING * a, g + RING * b, -0.3, &good_err));
        GOOD(spd_pair_add(&edge, g, RING + (g + 1) % RING, 2, &good_err));
    }
    int32_t home[NODES + 1];
    int64_t count;
    GOOD(spd_clusters_of(NODES + 1, edge.pair, edge.count, home, &count, &good_err));
    assert_int_equal(count, RING + 1);
    for (int32_t a = 0; a < NODES; a++)
        for (int32_t b = 0; b < NODES; b++) assert_true((home[a] == home[b]) == (a % RING == b % RING));
    for (int32_t a = 0; a < NODES; a++) assert_true(home[a] != home[NODES] && home[a] >= 0 && home[a] < count);
    GOOD(spd_clusters_of(3, NULL, 0, home, &count, &good_err));
    assert_int_equal(count, 3);
    spd_free(edge.pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(covariances), cmocka_unit_test(some_rows), cmocka_unit_test(refused),
                                       cmocka_unit_test(written), cmocka_unit_test(clusters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
