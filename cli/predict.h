/* predict.h - options and state of `spdhg predict`; shared by predict.c and predict_metrics.c. */
#ifndef SPD_CLI_PREDICT_H
#define SPD_CLI_PREDICT_H
#include "cli.h"

typedef struct cli_predict_job {
    spdhg_read_options read;
    const char *model_path, *path, *out_path, *offset;
    bool probability, json, force;
    spdhg_model *model;
    spdhg_data *data;
    double *scores;
    spd_metrics metrics;
    bool measured, calibrated;
    spd_calibration calibration[SPD_CALIBRATION_BINS];
} cli_predict_job;

/* ---- predict_metrics.c */
void cli_predict_print(const cli_predict_job *p, FILE *to);
json_t *cli_predict_json(const cli_predict_job *p);
#endif
