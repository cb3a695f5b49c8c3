# formula.R - a formula and a data frame: numbers become columns, factors a column for each level but the first, which counts as 0.
# Levels of a factor belong together: neighbours of an ordered one, all pairs of others (structure = "categories").

# The columns of one variable of the model frame: a sparse matrix, and rows of F as list(a, b) of columns (0: the reference).
factor_part <- function(f, name) {
    levels <- levels(f)
    code <- as.integer(f)
    rows <- which(code > 1)
    x <- sparseMatrix(i = rows, j = code[rows] - 1L, x = 1, dims = c(length(f), length(levels) - 1L), dimnames = list(NULL, paste0(name, levels[-1])))
    pairs <- if (is.ordered(f)) rbind(seq_len(length(levels) - 1L) - 1L, seq_len(length(levels) - 1L)) else utils::combn(length(levels), 2) - 1L
    list(x = x, pairs = pairs)
}

number_part <- function(values, name) {
    values <- as.matrix(values)
    storage.mode(values) <- "double"
    colnames(values) <- if (ncol(values) == 1) name else paste0(name, if (is.null(colnames(values))) seq_len(ncol(values)) else colnames(values))
    list(x = values, pairs = rbind(0L, seq_len(ncol(values))))
}

design <- function(terms, frame) {
    labels <- attr(terms, "term.labels")
    order <- attr(terms, "order")
    parts <- lapply(seq_along(labels), function(k) {
        name <- labels[k]
        value <- if (order[k] == 1) frame[[name]]
        if (is.character(value)) value <- factor(value)
        if (is.factor(value)) return(factor_part(value, name))
        if (is.logical(value)) value <- value * 1
        if (!is.null(value)) return(number_part(value, name))
        only <- model.matrix(stats::as.formula(paste("~ 0 +", name)), frame) # an interaction
        part <- number_part(only, "")
        colnames(part$x) <- colnames(only)
        part
    })
    if (length(parts) == 0) wrong("the formula has no features")
    sparse <- any(vapply(parts, function(part) is(part$x, "sparseMatrix"), NA))
    x <- do.call(cbind, lapply(parts, `[[`, "x"))
    before <- cumsum(c(0L, vapply(parts, function(part) ncol(part$x), 0L)))
    pairs <- do.call(cbind, lapply(seq_along(parts), function(k) ifelse(parts[[k]]$pairs > 0L, parts[[k]]$pairs + before[k], 0L)))
    list(x = if (sparse) sparse_columns(x) else x, pairs = pairs, factors = sparse)
}

# F with a row x_b - x_a for each pair, x_b where a is the reference.
categories <- function(pairs, features) {
    rows <- seq_len(ncol(pairs))
    inside <- pairs[1, ] > 0
    sparseMatrix(i = c(rows[inside], rows), j = c(pairs[1, inside], pairs[2, ]), x = c(rep(-1, sum(inside)), rep(1, ncol(pairs))), dims = c(ncol(pairs), features))
}

# What spdhg and cv.spdhg do with a formula: fit is one of their default methods.
from_formula <- function(fit, formula, data, weights, offset, subset, na.action, rest, call) {
    frame <- call
    frame <- frame[c(1L, match(c("formula", "data", "subset", "weights", "na.action", "offset"), names(frame), 0L))]
    names(frame)[names(frame) == "x"] <- "formula"
    frame$drop.unused.levels <- TRUE
    frame[[1L]] <- quote(stats::model.frame)
    frame <- eval(frame, parent.frame(2L))
    terms <- attr(frame, "terms")
    made <- design(terms, frame)
    structure <- rest$structure
    if (is.null(structure)) structure <- if (made$factors) "categories" else "identity"
    if (identical(structure, "categories")) structure <- categories(made$pairs, ncol(made$x))
    rest$structure <- structure
    if (!is.null(rest$intercept) && attr(terms, "intercept") == 0) wrong("intercept is given twice, by the formula too")
    if (attr(terms, "intercept") == 0) rest$intercept <- FALSE
    answer <- do.call(fit, c(list(x = made$x, y = model.response(frame), weights = model.weights(frame), offset = model.offset(frame)), rest))
    answer$call <- call
    if (inherits(answer, "cv.spdhg")) {
        answer$spdhg.fit <- remember(answer$spdhg.fit, terms, frame, call)
        return(answer)
    }
    remember(answer, terms, frame, call)
}

remember <- function(fit, terms, frame, call) {
    fit$call <- call
    fit$terms <- terms
    fit$xlevels <- stats::.getXlevels(terms, frame)
    fit
}

# New rows with the features of the fit.
frame_of <- function(object, newdata) {
    terms <- delete.response(object$terms)
    frame <- tryCatch({
        frame <- model.frame(terms, newdata, na.action = na.pass, xlev = object$xlevels)
        if (!is.null(classes <- attr(terms, "dataClasses"))) .checkMFClasses(classes, frame)
        frame
    }, error = function(e) stop_with(3L, paste("newdata:", conditionMessage(e)))) # a level or a column that the fit does not know
    list(x = design(terms, frame)$x, offset = model.offset(frame))
}

# The generic function's name instead of the method's: what is printed, and what update() calls.
as_called <- function(call, name) {
    call[[1L]] <- as.name(name)
    call
}

spdhg.formula <- function(formula, data = NULL, weights = NULL, offset = NULL, subset = NULL, na.action = NULL, ...) {
    from_formula(spdhg.default, formula, data, weights, offset, subset, na.action, list(...), as_called(match.call(), "spdhg"))
}

cv.spdhg.formula <- function(formula, data = NULL, weights = NULL, offset = NULL, subset = NULL, na.action = NULL, ...) {
    from_formula(cv.spdhg.default, formula, data, weights, offset, subset, na.action, list(...), as_called(match.call(), "cv.spdhg"))
}
