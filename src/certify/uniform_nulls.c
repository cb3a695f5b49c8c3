/* uniform_nulls.c - null directions of a coupled loss whose entries are no whole numbers.
 * The alphas of a row add up to 0 over the outputs, so a direction N that is equal in all outputs is null if
 *   F_U N = 0,   F_U = the rows of F times the directions of the bases (base_system.c)
 * Such an N exists wherever F_U has fewer independent rows than columns, but only its rounding Q is known. Two facts suffice.
 *   There are enough of them. No choice of numbers in the places of F_U that are not 0 has a rank above the size of the largest
 *   matching of rows and columns, so F_U has at least k = columns - matching directions N.
 *   Q is near them. For a unit vector z of their span, z = Q t + o with o orthogonal to Q and G z = 0,
 *       mu |o|^2 <= o'(G + Q Q')o = o'G o = -o'G Q t <= |o| |G Q|,   so |o| <= |G Q|/mu
 * If G + Q Q' >= mu for Q of k columns, the true directions are then exactly k, and every p orthogonal to them has
 *   p'G p >= (mu - (|G Q|/mu)^2) |p|^2 */
#include <float.h>

#include "certify/certify.h"
#include "problem/rows.h"

static const double SINGULAR =
    1e-9; /* pivots of a matrix with unit diagonal below this are taken for 0; this only guides the guess */

/* F_U: an entry is 0 where the row has none there, or is a link within the base. */
static bool fill(const spd_base_system *s, const spd_routes *r, double *matrix) {
    int64_t e = 0;
    for (spd_rows f = spd_rows_of(s->problem); spd_rows_next(&f);) {
        if (!(f.term->lambda > 0)) continue;
        double *row = matrix + e++ * s->blocks;
        const bool within = spd_routes_is_link(&f.row) && r->base[f.row.idx[0]] == r->base[f.row.idx[1]] &&
                            r->sign[f.row.idx[0]] * f.row.val[0] + r->sign[f.row.idx[1]] * f.row.val[1] == 0;
        for (int64_t q = 0; q < f.row.n && !within; q++) {
            const int32_t b = r->base[f.row.idx[q]];
            if (b < 0) continue;
            if (row[b] != 0) return false; /* two columns of one base that do not cancel: another form of row */
            row[b] = r->sign[f.row.idx[q]] * f.row.val[q];
        }
    }
    return true;
}

/* An augmenting path from base b (Kuhn). owner: of each row, -1: free. */
static bool match(const double *matrix, int64_t rows, int64_t blocks, int64_t b, int64_t *owner, bool *seen) {
    for (int64_t e = 0; e < rows; e++) {
        if (matrix[e * blocks + b] == 0 || seen[e]) continue;
        seen[e] = true;
        if (owner[e] >= 0 && !match(matrix, rows, blocks, owner[e], owner, seen)) continue;
        owner[e] = b;
        return true;
    }
    return false;
}

static int64_t largest_matching(const double *matrix, int64_t rows, int64_t blocks, int64_t *owner, bool *seen) {
    int64_t size = 0;
    for (int64_t e = 0; e < rows; e++) owner[e] = -1;
    for (int64_t b = 0; b < blocks; b++) {
        memset(seen, 0, (size_t)rows * sizeof *seen);
        size += match(matrix, rows, blocks, b, owner, seen);
    }
    return size;
}

/* Vectors of the null space of matrix, by elimination with full pivoting; returns their number. */
static int64_t null_space(double *matrix, int64_t rows, int64_t n, double *out, int64_t most, int64_t *column) {
    int64_t rank = 0;
    for (int64_t b = 0; b < n; b++) column[b] = b;
    for (; rank < rows && rank < n; rank++) {
        int64_t at = rank, col = rank;
        for (int64_t e = rank; e < rows; e++)
            for (int64_t q = rank; q < n; q++)
                if (fabs(matrix[e * n + column[q]]) > fabs(matrix[at * n + column[col]])) at = e, col = q;
        const double pivot = matrix[at * n + column[col]];
        if (!(fabs(pivot) > SINGULAR)) break;
        const int64_t chosen = column[col];
        column[col] = column[rank];
        column[rank] = chosen;
        for (int64_t q = 0; q < n; q++) {
            const double here = matrix[at * n + q] / pivot;
            matrix[at * n + q] = matrix[rank * n + q];
            matrix[rank * n + q] = here;
        }
        for (int64_t e = 0; e < rows; e++)
            if (e != rank && matrix[e * n + chosen] != 0) spd_axpy(n, -matrix[e * n + chosen], matrix + rank * n, matrix + e * n);
    }
    for (int64_t f = rank; f < n && f - rank < most; f++) {
        double *q = out + (f - rank) * n;
        memset(q, 0, (size_t)n * sizeof *q);
        q[column[f]] = 1;
        for (int64_t v = 0; v < rank; v++) q[column[v]] = -matrix[v * n + column[f]];
    }
    return n - rank;
}

/* u'v in the scaled coordinates, in which G has a unit diagonal. */
static double scaled_dot(const spd_base_system *s, const double *u, const double *v) {
    double sum = 0;
    for (int64_t b = 0; b < s->n; b++) sum += u[b] / (s->unit[b] * s->scale[b]) * (v[b] / (s->unit[b] * s->scale[b]));
    return sum;
}

/* Makes the vectors of the bases those of all unknowns, equal in all outputs and orthonormal in the scaled coordinates. */
static bool store(spd_base_system *s, const double *found, int64_t count) {
    double *more = spd_grow(s->null, 0, count * s->n, sizeof *more);
    if (more) s->null = more;
    double *square = spd_grow(s->null_square, 0, count, sizeof *square);
    if (square) s->null_square = square;
    if (!more || !square) return false;
    for (int64_t v = 0; v < count; v++) {
        double *q = s->null + v * s->n;
        for (int64_t b = 0; b < s->n; b++) q[b] = found[v * s->blocks + b / s->outputs];
        for (int64_t u = 0; u < v; u++) spd_axpy(s->n, -scaled_dot(s, s->null + u * s->n, q), s->null + u * s->n, q);
        spd_scale(s->n, 1 / sqrt(scaled_dot(s, q, q)), q);
    }
    return true;
}

bool spd_base_find_uniform(spd_base_system *s, const spd_routes *r) {
    const spdhg_problem *p = s->problem;
    const int64_t n = s->blocks, rows = p->m;
    double low, high;
    spd_set_sides(&p->set, &low, &high);
    if (p->loss->value || (s->outputs == 1 && !s->rowless) || isfinite(low) || isfinite(high)) return false;
    double *matrix = SPD_NEW(double, rows *n), *found = SPD_NEW(double, n *n);
    int64_t *list = SPD_NEW(int64_t, rows + n);
    bool *seen = SPD_NEW(bool, rows);
    s->nulls = 0;
    if (matrix && found && list && seen && fill(s, r, matrix)) {
        const int64_t known = n - largest_matching(matrix, rows, n, list, seen);
        for (int64_t e = 0; e < rows; e++) {
            double *row = matrix + e * n;
            for (int64_t b = 0; b < n; b++) row[b] *= s->unit[b * s->outputs];
            const double size = spd_max_abs(n, row);
            if (size > 0) spd_scale(n, 1 / size, row);
        }
        if (known > 0 && null_space(matrix, rows, n, found, n, list) == known) {
            for (int64_t q = 0; q < known * n; q++) found[q] *= s->unit[q % n * s->outputs];
            if (store(s, found, known)) s->nulls = known;
        }
    }
    SPD_FREE_ALL(matrix, found, list, seen);
    return s->inexact = s->nulls > 0;
}

/* An upper bound of |G Q|, in the scaled coordinates. lost: of the norm of the rounding errors of G. */
double spd_base_tilt(const spd_base_system *s, double lost) {
    double sum = 0;
    for (int64_t v = 0; v < s->nulls; v++) {
        const double *q = s->null + v * s->n;
        for (int64_t a = 0; a < s->n; a++) {
            double here = 0;
            for (int64_t b = 0; b < s->n; b++)
                here += s->scale[a] * s->G[a >= b ? a * s->n + b : b * s->n + a] * (q[b] / s->unit[b]);
            sum += here * here;
        }
    }
    return 1.01 * (sqrt(sum) + sqrt((double)s->nulls) * (lost + (double)(s->n * s->n) * DBL_EPSILON));
}
