/* lapack.h - the LAPACK routines that are used, by their Fortran names; matrices are column-major. The C interface LAPACKE only
 * passes such calls on, and loading it and what it needs takes as long as a small fit.
 * A length_ is the hidden length of a character argument, which compilers of Fortran put last. */
#ifndef SPD_LA_LAPACK_H
#define SPD_LA_LAPACK_H

#include <stddef.h>
#include <stdint.h>

typedef int32_t lapack_int;

void dgesdd_(const char *job, const lapack_int *m, const lapack_int *n, double *A, const lapack_int *lda, double *s, double *U,
             const lapack_int *ldu, double *Vt, const lapack_int *ldvt, double *work, const lapack_int *size,
             lapack_int *integers, lapack_int *info, size_t length_job);
void dsyev_(const char *job, const char *triangle, const lapack_int *n, double *A, const lapack_int *lda, double *values,
            double *work, const lapack_int *size, lapack_int *info, size_t length_job, size_t length_triangle);
void dgeqrf_(const lapack_int *m, const lapack_int *n, double *A, const lapack_int *lda, double *tau, double *work,
             const lapack_int *size, lapack_int *info);
void dormqr_(const char *side, const char *transposed, const lapack_int *m, const lapack_int *n, const lapack_int *k,
             const double *A, const lapack_int *lda, const double *tau, double *C, const lapack_int *ldc, double *work,
             const lapack_int *size, lapack_int *info, size_t length_side, size_t length_transposed);
void dpotrf_(const char *triangle, const lapack_int *n, double *A, const lapack_int *lda, lapack_int *info,
             size_t length_triangle);
void dtrtri_(const char *triangle, const char *diagonal, const lapack_int *n, double *A, const lapack_int *lda, lapack_int *info,
             size_t length_triangle, size_t length_diagonal);
void dlauum_(const char *triangle, const lapack_int *n, double *A, const lapack_int *lda, lapack_int *info,
             size_t length_triangle);
/* Roots `from`..`to` of the k of a secular equation, in order: d and the eigenvectors S of diag(pole) + rho w w'. */
void dlaed9_(const lapack_int *k, const lapack_int *from, const lapack_int *to, const lapack_int *n, double *d, double *Q,
             const lapack_int *ldq, const double *rho, double *pole, double *w, double *S, const lapack_int *lds,
             lapack_int *info);

#endif
