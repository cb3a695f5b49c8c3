/* line.c - values of a line between and beyond the fitted points. A polynomial of degree ORDER through ORDER + 1 fitted values
 * adds no penalty: it is the minimiser beyond the ends and, for a chain or a line of order 1, also between fitted points. */
#include "signal/signal.h"

/* The Lagrange polynomial through `count` values from `first` on, at t. */
static double polynomial(const spd_signal *s, const spd_signal_problem *p, const double *x, int64_t first, int64_t count,
                         double t) {
    double sum = 0;
    for (int64_t a = first; a < first + count; a++) {
        double factor = x[a];
        for (int64_t b = first; b < first + count; b++) {
            const double tb = spd_signal_position(s, p->point[b]);
            if (b != a) factor *= (t - tb) / (spd_signal_position(s, p->point[a]) - tb);
        }
        sum += factor;
    }
    return sum;
}

/* The value at a point that follows fitted value `after`; -1: it precedes all of them. */
static double filled(const spd_signal *s, const spd_signal_problem *p, const double *x, int64_t after, int64_t point) {
    const double t = spd_signal_position(s, point);
    int64_t first = after - s->order / 2;
    if (s->order == 0 && after >= 0 && after + 1 < p->count) { /* the closer of the two neighbours */
        const double left = t - spd_signal_position(s, p->point[after]), right = spd_signal_position(s, p->point[after + 1]) - t;
        first = left <= right ? after : after + 1;
    }
    const int64_t most = p->count - s->order - 1;
    return polynomial(s, p, x, first < 0 ? 0 : first > most ? most : first, s->order + 1, t);
}

void spd_signal_fill(const spd_signal *s, const spd_signal_problem *p, const double *x, double *out) {
    if (s->order < 0) {
        memcpy(out, x, (size_t)s->given.points * sizeof *out);
        return;
    }
    int64_t after = -1;
    for (int64_t i = 0; i < s->given.points; i++) {
        const int64_t point = s->place[i];
        if (after + 1 < p->count && p->point[after + 1] == point)
            out[point] = x[++after];
        else
            out[point] = filled(s, p, x, after, point);
    }
}

double spd_line_between(const spd_signal *s, const spd_signal_problem *p, const double *x, int64_t after, int64_t point) {
    const double from = spd_signal_position(s, p->point[after]), to = spd_signal_position(s, p->point[after + 1]);
    const double part = to > from ? (spd_signal_position(s, point) - from) / (to - from) : 0.5;
    return (1 - part) * x[after] + part * x[after + 1];
}
