/* denoise.h - options and state of `spdhg denoise`; shared by denoise.c, denoise_options.c and denoise_output.c. */
#ifndef SPD_CLI_DENOISE_H
#define SPD_CLI_DENOISE_H
#include "cli.h"
#include "signal_file.h"

typedef struct cli_denoise_options {
    spdhg_denoise_options denoise; /* structure NULL: by the kind of file */
    spdhg_options solve;
    const char *path, *output, *report, *segments, *positions, *weights, *columns;
    bool choose_given, force, json, quiet, verbose;
} cli_denoise_options;
extern const struct argp cli_denoise_argp; /* input: cli_denoise_options */

typedef struct cli_denoised {
    const cli_denoise_options *asked;
    const char *structure; /* including the sides */
    const signal_file *file;
    int64_t signals; /* number denoised, the first ones in the file; an interrupt leaves the others unchanged */
    const spdhg_denoised_view *view;
    double seconds;
    spdhg_outcome outcome;
} cli_denoised;
/* ---- denoise_output.c */
void cli_print_denoised(FILE *to, const cli_denoised *d);
json_t *cli_denoised_json(const cli_denoised *d);
spdhg_status cli_segments_csv(const cli_denoised *d, const char *path, spdhg_error *err);
#endif
