/* edges_output.c - the edges of a learned structure as a table with names. A weight below 0 means opposite signs: x_i + x_j. */
#include "cli.h"

static void put_end(FILE *to, const spdhg_data *data, int64_t feature) {
    if (data->name)
        cli_csv_cell(to, data->name[feature]);
    else
        fprintf(to, "%lld", (long long)feature + 1);
}

spdhg_status cli_edges_csv(const spdhg_structure *F, const spdhg_data *data, const char *name, spdhg_error *err) {
    spd_file file;
    char text[SPD_NUMBER_CHARS];
    SPD_TRY(spd_file_create(&file, name, err));
    fputs(data->name ? "from,to,weight\n" : "# from,to,weight\n", file.stream); /* numbers have no header */
    for (int64_t e = 0; e < F->F.m; e++) {
        spd_csr_row row;
        spd_csr_take(&F->F, e, &row);
        if (row.n != 2) continue;
        put_end(file.stream, data, row.idx[0]);
        fputc(',', file.stream);
        put_end(file.stream, data, row.idx[1]);
        spd_print_double(text, row.val[0] * row.val[1] < 0 ? fabs(row.val[0]) : -fabs(row.val[0]));
        fprintf(file.stream, ",%s\n", text);
    }
    return spd_file_commit(&file, err);
}
