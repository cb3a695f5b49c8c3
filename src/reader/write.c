/* write.c - writes data sets as LIBSVM, CSV, Matrix Market and CLUTO text; numbers use the shortest form that reads back to the
 * same bits. Text cannot store weights and offsets, and groups only in LIBSVM: such data are refused, not silently dropped.
 * Labels that are words become their codes where the format requires numbers. Matrix Market and CLUTO have no place for labels:
 * they go to FILE.targets (read back with the option targets) and FILE.rclass. */
#include "reader/reader.h"

static spdhg_status check_text(const spdhg_data *data, const char *path, int64_t most_targets, bool groups, spdhg_error *err) {
    if (data->weight || data->offset)
        return spd_fail(err, SPDHG_USAGE, "%s: text formats cannot hold weights or offsets, write the cache format (.spd)", path);
    if (data->group && !groups)
        return spd_fail(err, SPDHG_USAGE, "%s: this format cannot hold groups (qid), write libsvm or the cache format (.spd)",
                        path);
    if (data->targets > most_targets)
        return spd_fail(err, SPDHG_USAGE, "%s: this format holds one target, not %lld", path, (long long)data->targets);
    return SPDHG_OK;
}

static void put(FILE *stream, double value) {
    char text[SPD_NUMBER_CHARS];
    fwrite(text, 1, (size_t)spd_print_double(text, value), stream);
}

/* Iterates over the entries of row i: k counts from 0; false after the last. Zeros of a dense row are skipped. */
typedef struct cursor {
    int64_t k, column;
    double value;
} cursor;
static bool next_entry(const spdhg_data *data, int64_t i, cursor *c) {
    if (data->idx) {
        const int64_t k = data->ptr[i] + c->k++;
        if (k >= data->ptr[i + 1]) return false;
        c->column = data->idx[k];
        c->value = data->val[k];
        return true;
    }
    while (c->k < data->features && data->val[i * data->features + c->k] == 0) c->k++;
    if (c->k >= data->features) return false;
    c->column = c->k;
    c->value = data->val[i * data->features + c->k++];
    return true;
}

spdhg_status spd_libsvm_write(const spdhg_data *data, const char *path, spdhg_error *err) {
    SPD_TRY(check_text(data, path, 1, true, err));
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    for (int64_t i = 0; i < data->rows && !ferror(file.stream); i++) {
        const char *blank = data->targets ? " " : "";
        if (data->targets) put(file.stream, data->b[i]);
        if (data->group && data->group[i] >= 0) {
            fprintf(file.stream, "%sqid:%lld", blank, (long long)data->group[i]);
            blank = " ";
        }
        cursor c = {0};
        bool any = data->targets > 0;
        for (; next_entry(data, i, &c); blank = " ", any = true) {
            fprintf(file.stream, "%s%lld:", blank, (long long)c.column + data->index_base);
            put(file.stream, c.value);
        }
        if (!any) fprintf(file.stream, "%s%d:0", blank, data->index_base); /* a blank line would not count as a row */
        fputc('\n', file.stream);
    }
    return spd_file_commit(&file, err);
}

/* Writes a word to a CSV, quoted if necessary. */
static void put_word(FILE *stream, const char *word) {
    double number;
    const bool quote = word[0] == '\0' || strpbrk(word, ",;\t\"\r\n ") || spd_to_double(word, &number);
    if (quote) fputc('"', stream);
    for (; *word; word++) {
        if (*word == '"') fputc('"', stream);
        fputc(*word, stream);
    }
    if (quote) fputc('"', stream);
}

static void put_csv_row(FILE *stream, const spdhg_data *data, int64_t i) {
    cursor c = {0};
    bool more = next_entry(data, i, &c);
    for (int64_t j = 0; j < data->features; j++) {
        const bool here = more && c.column == j;
        put(stream, here ? c.value : 0);
        if (here) more = next_entry(data, i, &c);
        if (j + 1 < data->features || data->targets) fputc(',', stream);
    }
    for (int64_t k = 0; k < data->targets; k++) {
        if (k > 0) fputc(',', stream);
        if (data->label)
            put_word(stream, data->label[(int64_t)data->b[i]]);
        else
            put(stream, data->b[i * data->targets + k]);
    }
    fputc('\n', stream);
}

/* Dense; the target columns come last and have their names, or are called label, or label1, label2, ... */
spdhg_status spd_csv_write(const spdhg_data *data, const char *path, spdhg_error *err) {
    SPD_TRY(check_text(data, path, INT64_MAX, false, err));
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    for (int64_t j = 0; j < data->features; j++) {
        if (data->name && data->name[j][0])
            put_word(file.stream, data->name[j]);
        else
            fprintf(file.stream, "x%lld", (long long)j + data->index_base);
        if (j + 1 < data->features || data->targets) fputc(',', file.stream);
    }
    for (int64_t k = 0; k < data->targets; k++) {
        if (data->columns && data->columns->targets == data->targets && data->columns->named) {
            if (k > 0) fputc(',', file.stream);
            put_word(file.stream, data->columns->target[k]);
        } else if (data->targets == 1)
            fputs("label", file.stream);
        else
            fprintf(file.stream, "%slabel%lld", k ? "," : "", (long long)k + 1);
    }
    fputc('\n', file.stream);
    for (int64_t i = 0; i < data->rows && !ferror(file.stream); i++) put_csv_row(file.stream, data, i);
    return spd_file_commit(&file, err);
}

/* Writes the targets to a separate file next to the matrix: path + ending. */
static spdhg_status write_targets(const spdhg_data *data, const char *path, const char *ending, spdhg_error *err) {
    if (data->targets == 0) return SPDHG_OK;
    if (strcmp(path, "-") == 0)
        return spd_fail(err, SPDHG_USAGE, "this format puts the labels into a second file: give a file name, not -");
    const size_t size = strlen(path) + strlen(ending) + 1;
    char *beside = spd_alloc((int64_t)size, 1);
    if (!beside) return spd_fail_memory(err, (double)size);
    snprintf(beside, size, "%s%s", path, ending);
    spd_file file;
    const spdhg_status status = spd_file_create(&file, beside, err);
    spd_free(beside);
    if (status != SPDHG_OK) return status;
    for (int64_t i = 0; i < data->rows; i++)
        for (int64_t k = 0; k < data->targets; k++) {
            put(file.stream, data->b[i * data->targets + k]);
            fputc(k + 1 < data->targets ? ' ' : '\n', file.stream);
        }
    return spd_file_commit(&file, err);
}

/* Sparse data as coordinates, dense data as an array (column by column). */
spdhg_status spd_market_write(const spdhg_data *data, const char *path, spdhg_error *err) {
    SPD_TRY(check_text(data, path, INT64_MAX, false, err));
    SPD_TRY(write_targets(data, path, ".targets", err));
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fprintf(file.stream, "%%%%MatrixMarket matrix %s real general\n%lld %lld", data->idx ? "coordinate" : "array",
            (long long)data->rows, (long long)data->features);
    if (data->idx) fprintf(file.stream, " %lld", (long long)data->nnz);
    fputc('\n', file.stream);
    for (int64_t i = 0; data->idx && i < data->rows && !ferror(file.stream); i++)
        for (cursor c = {0}; next_entry(data, i, &c);) {
            fprintf(file.stream, "%lld %lld ", (long long)i + 1, (long long)c.column + 1);
            put(file.stream, c.value);
            fputc('\n', file.stream);
        }
    for (int64_t j = 0; !data->idx && j < data->features && !ferror(file.stream); j++)
        for (int64_t i = 0; i < data->rows; i++) {
            put(file.stream, data->val[i * data->features + j]);
            fputc('\n', file.stream);
        }
    return spd_file_commit(&file, err);
}

spdhg_status spd_cluto_write(const spdhg_data *data, const char *path, spdhg_error *err) {
    SPD_TRY(check_text(data, path, 1, false, err));
    SPD_TRY(write_targets(data, path, ".rclass", err));
    spd_file file;
    SPD_TRY(spd_file_create(&file, path, err));
    fprintf(file.stream, "%lld %lld", (long long)data->rows, (long long)data->features);
    if (data->idx) fprintf(file.stream, " %lld", (long long)data->nnz);
    fputc('\n', file.stream);
    for (int64_t i = 0; i < data->rows && !ferror(file.stream); i++) {
        cursor c = {0};
        const char *blank = "";
        for (; data->idx && next_entry(data, i, &c); blank = " ") {
            fprintf(file.stream, "%s%lld ", blank, (long long)c.column + 1);
            put(file.stream, c.value);
        }
        for (int64_t j = 0; !data->idx && j < data->features; j++, blank = " ") {
            fputs(blank, file.stream);
            put(file.stream, data->val[i * data->features + j]);
        }
        fputc('\n', file.stream);
    }
    return spd_file_commit(&file, err);
}
