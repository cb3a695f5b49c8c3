/* graph_page.h - one self-contained page about a learned graph: its size, its hubs, and a drawing of the graph or of its
 * strongest edges. */
#ifndef SPD_GRAPH_PAGE_H
#define SPD_GRAPH_PAGE_H
#include "graph/graph.h"
#include "report/page.h"

typedef struct spd_graph_page {
    const char *title, *command; /* escaped, so any text is safe; command may be NULL */
    const spdhg_data *data;      /* for the names of the features and the index of the first */
    const spd_graph *graph;
    const spdhg_graph_report *report;
    const spdhg_graph_options *options;
} spd_graph_page;
spdhg_status spd_graph_page_write(const spd_graph_page *page, const char *path, spdhg_error *err);

/* ---- coefficients.c */
bool spd_model_names_outputs(const spdhg_model *model); /* its outputs are classes */

/* ---- graph_drawing.c */
typedef struct spd_node_names {
    char **name; /* of the features; NULL: numbers, starting at index_base */
    int index_base;
} spd_node_names;
const char *spd_node_name(const spd_node_names *names, int64_t feature, char text[SPD_SHORT]);
spdhg_status spd_graph_draw(FILE *out, const spd_graph *graph, const spd_node_names *names, spdhg_error *err);
/* The same with nodes coloured by the model's coefficients, one drawing per output, at most `pictures` of them. The graph must
 * have an edge. */
spdhg_status spd_graph_draw_coefficients(FILE *out, const spd_graph *graph, const spdhg_model *model, int64_t pictures,
                                         spdhg_error *err);

#endif
