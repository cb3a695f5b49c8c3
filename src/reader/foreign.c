/* foreign.c - files that people give by mistake, known by their first bytes: archives, workbooks, pictures, models. The message
 * says what the file is and what to do. */
#include "reader/reader.h"

typedef struct kind {
    const char *magic;
    size_t size;
    const char *what, *remedy;
} kind;

#define KIND(magic, what, remedy)                                                                                                \
    { magic, sizeof magic - 1, what, remedy }
static const kind kinds[] = {
    KIND("PK\x03\x04", "a ZIP archive", "unpack it and give the file inside"),
    KIND("\xd0\xcf\x11\xe0", "an old Excel workbook (.xls)", "save the sheet as CSV"),
    KIND("%PDF", "a PDF document", "export its table as CSV"),
    KIND("\x89PNG", "a picture", "spdhg denoise takes pictures"),
    KIND("\xff\xd8\xff", "a picture", "spdhg denoise takes PNG, PGM and PPM pictures"),
    KIND("\x93NUMPY", "a NumPy array", "write it as CSV: numpy.savetxt(file, array, delimiter=',')"),
    KIND("\x89HDF", "an HDF5 file", "export its table as CSV"),
    KIND("PAR1", "a Parquet file", "write it as CSV: pandas.read_parquet(file).to_csv(other, index=False)"),
    KIND("ARROW1", "a Feather file", "write it as CSV: pandas.read_feather(file).to_csv(other, index=False)"),
    KIND("SQLite format 3", "an SQLite database", "export its table as CSV"),
    KIND("$FL2", "an SPSS file (.sav)", "write it as CSV: pandas.read_spss(file).to_csv(other, index=False)"),
    KIND("$FL3", "an SPSS file (.zsav)", "write it as CSV: pandas.read_spss(file).to_csv(other, index=False)"),
    KIND("<stata_dta>", "a Stata file (.dta)", "write it as CSV: pandas.read_stata(file).to_csv(other, index=False)"),
    KIND("\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60", "a SAS file (.sas7bdat)",
         "write it as CSV: pandas.read_sas(file).to_csv(other, index=False)"),
    KIND("\x80\x04\x95", "a Python pickle", "write it as CSV: pandas.read_pickle(file).to_csv(other, index=False)"),
    KIND("\x80\x05\x95", "a Python pickle", "write it as CSV: pandas.read_pickle(file).to_csv(other, index=False)"),
    KIND("{\\rtf", "a document of a word processor (.rtf)", "save its table as CSV"),
    KIND("RDX", "an R workspace", "write the table as CSV: write.csv(table, file, row.names = FALSE)"),
    KIND("X\n\0\0\0", "an R object (.rds)", "write it as CSV: write.csv(readRDS(file), other, row.names = FALSE)"),
    KIND("7z\xbc\xaf", "a 7z archive", "unpack it and give the file inside"),
    KIND("<!DOCTYPE", "a web page", "give the table itself, as CSV"),
    KIND("<!doctype", "a web page", "give the table itself, as CSV"),
    KIND("<html", "a web page", "give the table itself, as CSV"),
    KIND("<?xml", "an XML document", "export its table as CSV"),
};

static bool has(const char *head, size_t size, const char *text) { return memmem(head, size, text, strlen(text)) != NULL; }

spdhg_status spd_foreign_check(const char *head, size_t size, const char *path, spdhg_error *err) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const kind *k = &kinds[i];
        if (size < k->size || memcmp(head, k->magic, k->size) != 0) continue;
        if (i == 0 && (has(head, size, "[Content_Types].xml") || has(head, size, "xl/")))
            return spd_fail(err, SPDHG_DATA, "%s: is an Excel workbook (.xlsx), not text: save the sheet as CSV", path);
        return spd_fail(err, SPDHG_DATA, "%s: is %s, not text: %s", path, k->what, k->remedy);
    }
    if (size > 257 + 5 && memcmp(head + 257, "ustar", 5) == 0)
        return spd_fail(err, SPDHG_DATA, "%s: is a tar archive: unpack it and give the file inside", path);
    if (memchr(head, '\0', size) && (size < 8 || memcmp(head, SPD_CACHE_MAGIC, 8) != 0))
        return spd_fail(err, SPDHG_DATA,
                        "%s: has bytes of value 0: it is UTF-32, UTF-16 without a byte order mark, or no text; save it as UTF-8",
                        path);
    size_t at = 0;
    while (at < size && (spd_is_blank(head[at]) || head[at] == '\n')) at++;
    if (at < size && head[at] == '{') {
        if (has(head, size, "spdhg-model"))
            return spd_fail(err, SPDHG_DATA, "%s: is a model, where data was expected; the order is spdhg predict MODEL DATA",
                            path);
        return spd_fail(err, SPDHG_DATA, "%s: is JSON, not a table: write it as CSV", path);
    }
    if (size > 0 && (head[0] == '@' || head[0] == '%') && (has(head, size, "\n@attribute") || has(head, size, "\n@ATTRIBUTE")))
        return spd_fail(err, SPDHG_DATA,
                        "%s: is an ARFF file: replace the lines up to @data by one line with the names of its columns", path);
    if (at + 1 < size && head[at] == '[' && (head[at + 1] == '{' || head[at + 1] == '[' || head[at + 1] == '\n'))
        return spd_fail(err, SPDHG_DATA,
                        "%s: is JSON, not a table: write it as CSV: pandas.read_json(file).to_csv(other, index=False)", path);
    return SPDHG_OK;
}
