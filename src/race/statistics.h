/* statistics.h - tests whether some methods are better than others over several data sets. Smaller values are better; +INFINITY
 * means "never". */
#ifndef SPD_STATISTICS_H
#define SPD_STATISTICS_H
#include "core/core.h"

/* The rank of each number, from 1; ties share their mean rank. work: n indices. */
void spd_rank(const double *value, int64_t n, double *rank, int64_t *work);
/* Friedman's test of N rows (data sets) x k columns (methods), corrected for ties; p by chi^2 with k - 1 degrees. mean_rank: k
 * numbers. chi2 and p are NAN where all ranks are equal, or with fewer than 2 rows or columns. */
spdhg_status spd_friedman(const double *value, int64_t N, int64_t k, double *mean_rank, double *chi2, double *p,
                          spdhg_error *err);
/* Nemenyi's critical difference of mean ranks: q_alpha(k, infinity)/sqrt(2) sqrt(k(k+1)/(6N)). */
double spd_nemenyi(int64_t N, int64_t k, double alpha);
/* Wilcoxon's signed rank test of n pairs, two-sided, exact also with ties; pairs without a difference do not count. */
spdhg_status spd_wilcoxon(const double *a, const double *b, int64_t n, double *p, spdhg_error *err);
/* Holm's adjustment of n p-values; work: n indices. */
void spd_holm(const double *p, int64_t n, double *adjusted, int64_t *work);

double spd_chi2_tail(double chi2, double degrees);     /* P(X >= chi2) */
double spd_studentized_range(double alpha, int64_t k); /* q with P(range of k standard normals > q) = alpha */
#endif
