/* market.h - a parsed Matrix Market file, before it is arranged in rows. Private to its reader. */
#ifndef SPD_MARKET_H
#define SPD_MARKET_H

#include "reader/reader.h"

typedef struct spd_market {
    bool array, pattern;
    enum { SPD_GENERAL, SPD_SYMMETRIC, SPD_SKEW } symmetry;
    int64_t rows, columns, declared, count, row_room, column_room, value_room;
    int64_t *row; /* only for coordinate format, like the columns; array format: values column by column */
    int32_t *column;
    double *value;
    spd_budget budget;
} spd_market;

spdhg_status spd_market_parse(spd_stream *stream, spd_market *market, spdhg_error *err);

#endif
