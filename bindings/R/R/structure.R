# structure.R - the matrix F from what a user may give: a name, sides of a grid, edges, a graph, a matrix; and back.

# What the C side takes: list(spec), list(ends, weight), list(order, position) or list(p, j, x).
edges_of <- function(from, to, weight, features, names) {
    place <- function(end) {
        at <- if (is.character(end) || is.factor(end)) match(as.character(end), names) else as.double(end)
        if (anyNA(at)) wrong("structure: no feature is called '", as.character(end)[which(is.na(at))[1]], "'")
        if (any(at != floor(at) | at < 1 | at > features)) wrong("structure: the ends of an edge are features by number from 1 to ", features, " or by name")
        at - 1
    }
    list(ends = as.double(rbind(place(from), place(to))), weight = if (!is.null(weight)) as.double(weight))
}

from_igraph <- function(graph, features, names) {
    if (!requireNamespace("igraph", quietly = TRUE)) wrong("structure: the package igraph is not installed")
    called <- igraph::vertex_attr(graph, "name")
    by_name <- !is.null(called) && all(called %in% names)
    if (!by_name && igraph::vcount(graph) > features)
        wrong("structure: the graph has ", igraph::vcount(graph), " nodes, not called like features, for ", features, " features")
    ends <- igraph::as_edgelist(graph, names = by_name)
    edges_of(ends[, 1], ends[, 2], igraph::edge_attr(graph, "weight"), features, names)
}

from_matrix <- function(F, features, names) {
    F <- as(as(as(F, "dMatrix"), "generalMatrix"), "CsparseMatrix")
    if (nrow(F) == ncol(F) && ncol(F) == features && length(F@x) > 0 && !any(Matrix::diag(F) != 0) && Matrix::isSymmetric(F, check.attributes = FALSE)) {
        edge <- as(Matrix::triu(F), "TsparseMatrix") # a graph's adjacency
        return(edges_of(edge@i + 1, edge@j + 1, edge@x, features, names))
    }
    if (ncol(F) != features) wrong("structure: the matrix has ", ncol(F), " columns, the data have ", features, " features")
    rows <- t(F) # by columns, as F is by rows
    list(p = rows@p, j = rows@i, x = rows@x)
}

grid_spec <- function(sides) paste0("grid:", paste(format(rev(sides), scientific = FALSE, trim = TRUE), collapse = "x"))

structure_parts <- function(structure, features, names = NULL) {
    if (inherits(structure, "spdhg_graph")) structure <- structure$F
    if (inherits(structure, "igraph")) return(from_igraph(structure, features, names))
    if (is.character(structure) && length(structure) == 1) {
        if (structure != "grid") return(list(spec = structure))
        side <- round(sqrt(features))
        if (side^2 != features) wrong("structure = \"grid\": ", features, " features are not a square; give the sides, c(height, width)")
        return(list(spec = grid_spec(c(side, side))))
    }
    if (is.numeric(structure) && is.null(dim(structure)) && length(structure) %in% 2:3) return(list(spec = grid_spec(structure)))
    if (is(structure, "Matrix")) return(from_matrix(structure, features, names))
    if (is.matrix(structure) && nrow(structure) == features && ncol(structure) == features && isSymmetric(unname(structure)))
        return(from_matrix(structure, features, names))
    if ((is.matrix(structure) || is.data.frame(structure)) && ncol(structure) %in% 2:3)
        return(edges_of(structure[, 1], structure[, 2], if (ncol(structure) == 3) as.double(structure[, 3]), features, names))
    if (is.matrix(structure)) return(from_matrix(structure, features, names))
    if (is.list(structure) && !is.null(structure$order)) return(structure)
    wrong("structure is neither a name nor sides of a grid, edges, a graph or a matrix")
}

structure_handle <- function(structure, features, names = NULL)
    .Call(glue_structure_new, structure_parts(structure, features, names), as.double(features))

# F as a dgRMatrix.
structure_matrix <- function(handle) {
    F <- .Call(glue_structure_view, handle)
    new("dgRMatrix", p = F$p, j = F$j, x = F$x, Dim = as.integer(c(F$rows, F$features)))
}

# Pairs of features that a row of F compares, and the weight: w (x_i - x_j), or |w| (x_i + x_j) for w < 0.
edges_in <- function(F) {
    first <- F@p[-length(F@p)][diff(F@p) == 2L] + 1L
    list(edges = cbind(F@j[first], F@j[first + 1L]) + 1L, weights = -sign(F@x[first] * F@x[first + 1L]) * abs(F@x[first]))
}

learn_options <- function(p) {
    choose <- NULL
    if (is.character(p$rho)) {
        choose <- choice(p, "rho", c("auto", "ebic", "stars"))
        p$rho <- NULL
    }
    if (!is.null(p$edges)) choose <- "edges"
    if (isTRUE(p$precision)) p$form <- "precision"
    list(method = p$method, form = p$form, choose = choose, rho = number(p, "rho"), edges = number(p, "edges"),
         neighbours = number(p, "neighbours", 1), max.component = number(p, "max.component", 1), tol = number(p, "tol"),
         threshold = number(p, "threshold"), cov = flag(p, "cov"), penalize.diagonal = flag(p, "penalize.diagonal"), both = flag(p, "both"),
         seed = if (!is.null(p$method)) seed_of(p$seed), threads = number(p, "threads"), max.memory = memory(p$max.memory))
}

learn_handle <- function(data, p) {
    learned <- .Call(glue_structure_learn, data, learn_options(p))
    if (learned$interrupted) warn("interrupted", "stopped by the user: the graph is what was reached")
    learned
}

learn_from <- function(x, p) {
    x <- take_x(x)
    data <- data_handle(x)
    on.exit(release(data))
    learned <- learn_handle(data, p)
    on.exit(release(learned$handle), add = TRUE)
    F <- structure_matrix(learned$handle)
    pairs <- if (isTRUE(p$precision) || p$form == "skew") {
        upper <- as(Matrix::triu(F, 1), "TsparseMatrix")
        list(edges = cbind(upper@i, upper@j) + 1L, weights = -upper@x)
    } else edges_in(F)
    structure(class = "spdhg_graph", list(edges = pairs$edges, weights = pairs$weights, F = F, report = learned$report, names = colnames(x)))
}

print.spdhg_graph <- function(x, ...) {
    r <- x$report
    cat("Graph of ", ncol(x$F), " features: ", nrow(x$edges), " edges, ", r$components, " components, largest of ", r$largest,
        if (!is.na(r$rho)) paste0("; rho ", signif(r$rho, 3)), "\n", sep = "")
    invisible(x)
}
