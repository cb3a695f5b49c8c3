/* judged.c - the rows by which the page of a fit or a path judges the model, and their scores. */
#include "cli.h"

static spdhg_status new_scores(cli_judged *j, const spdhg_model *model, const spdhg_data *data, spdhg_error *err) {
    j->shown.data = data;
    j->shown.score = j->score = SPD_NEW(double, data->rows * model->outputs);
    return j->score ? SPDHG_OK : spd_fail_memory(err, 8.0 * (double)data->rows * (double)model->outputs);
}

spdhg_status cli_judge_rows(cli_judged *j, const spdhg_model *model, const spdhg_data *data, const char *which,
                            spdhg_error *err) {
    snprintf(j->which, sizeof j->which, "%s", which ? which : "it was fitted to; new rows will be predicted less well");
    j->shown.which = j->which;
    SPD_TRY(new_scores(j, model, data, err));
    return spdhg_model_scores(model, data, j->score, err);
}

/* Drops the rows that no fold holds out. */
static spdhg_status keep_known(cli_judged *j, const spdhg_model *model, spdhg_error *err) {
    const spdhg_data *data = j->shown.data;
    const int64_t K = model->outputs;
    int64_t *row = SPD_NEW(int64_t, data->rows), rows = 0;
    if (!row) return spd_fail_memory(err, 8.0 * (double)data->rows);
    for (int64_t i = 0; i < data->rows; i++) {
        if (isnan(j->score[i * K])) continue;
        memmove(j->score + rows * K, j->score + i * K, (size_t)K * sizeof *j->score);
        row[rows++] = i;
    }
    spdhg_status status = SPDHG_OK;
    if (rows < data->rows) {
        status = spd_data_subset(&j->part, data, row, rows, err);
        j->shown.data = j->part;
    }
    spd_free(row);
    return status;
}

spdhg_status cli_judge_path(cli_judged *j, const spdhg_model *model, const spdhg_data *data, const spdhg_path *path,
                            spdhg_error *err) {
    int64_t points;
    bool stopped = false;
    const spdhg_path_point *point = spdhg_path_points(path, &points);
    const bool validated = !isnan(point->loss) && spdhg_path_outcome(path) != SPDHG_OUTCOME_INTERRUPTED;
    if (!validated) return cli_judge_rows(j, model, data, NULL, err);
    j->shown.which = "each predicted by the fit that left it out (cross-validation at the chosen lambda)";
    SPD_TRY(new_scores(j, model, data, err));
    SPD_TRY(spd_path_scores_held_out(path, spdhg_path_chosen(path), j->score, &stopped, err));
    if (!stopped) return keep_known(j, model, err);
    cli_judged_free(j);
    return cli_judge_rows(j, model, data, NULL, err);
}

void cli_judged_free(cli_judged *j) {
    spd_free(j->score);
    spdhg_data_free(j->part);
    *j = (cli_judged){0};
}
