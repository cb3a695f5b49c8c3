/* report.h - one self-contained page about a fit: the problem, the results, the curve of the objective, a picture of the
 * coefficients. */
#ifndef SPD_REPORT_H
#define SPD_REPORT_H
#include "model/model.h"
#include "structure/structure.h"

/* Rows that a model is judged by, and its scores for them (rows x outputs). */
typedef struct spd_judged {
    const spdhg_data *data;
    const double *score;
    const char *which; /* "that were held out": which rows these are */
} spd_judged;

typedef struct spd_report {
    const char *title;   /* escaped, so any text is safe */
    const char *command; /* the command line, or NULL */
    const spdhg_model *model;
    const spdhg_point *point; /* the trace */
    int64_t points;
    const double *truth;              /* known coefficients to draw next to the estimate, or NULL; features x outputs */
    const spdhg_solution *solution;   /* test scores, zeros; may be NULL */
    const spdhg_path *path;           /* the path the model was chosen from, or NULL */
    const spdhg_structure *structure; /* of the coefficients, or NULL; drawn if it is a graph */
    const spd_judged *judged;         /* or NULL */
} spd_report;
spdhg_status spd_report_write(const spd_report *report, const char *path, spdhg_error *err);

/* One self-contained page about signals and their fits: data and fit of a line, images before and after, how lambda was
 * chosen. */
typedef struct spd_signal_report {
    const char *title, *command, *structure, *loss, *choose;
    int64_t signals;
    const char *const *name; /* or NULL */
    const double *value;     /* signals x points, before the fit; NAN: missing */
    const double *position;  /* or NULL: 1, 2, ... */
    int64_t side[3];         /* of an image, or 0 */
    const spdhg_denoised_view *view;
} spd_signal_report;
spdhg_status spd_report_signals(const spd_signal_report *report, const char *path, spdhg_error *err);

/* One self-contained page about the race in a directory (its summary.json and the files it names), with interactive curves; or
 * about traces of `fit --trace`, whose command line may be NULL. */
spdhg_status spd_report_race(const char *directory, const char *path, spdhg_error *err);
spdhg_status spd_report_traces(const char *const *trace, int traces, const char *command, const char *path, spdhg_error *err);
#endif
