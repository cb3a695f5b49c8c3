# denoise.R - signals, images and functions on graphs without their noise; fusedlasso1d, fusedlasso2d and trendfilter after genlasso.

sides_in <- function(spec) as.double(strsplit(sub("^grid:", "", spec), "x")[[1]])

# The structure for the C side, and the signals as columns.
layout <- function(y, structure) {
    sides <- dim(y)
    if (identical(structure, "grid")) {
        if (is.null(sides)) wrong("structure = \"grid\": y has no sides; give them, as in structure = c(height, width)")
        structure <- grid_spec(sides)
    } else if (is.numeric(structure) && is.null(dim(structure))) structure <- grid_spec(structure)
    whole <- is.null(sides) || is.character(structure) && startsWith(structure, "grid:") && prod(sides_in(structure)) == length(y)
    list(structure = structure, columns = if (whole) matrix(as.double(y), ncol = 1) else matrix(as.double(y), nrow = sides[1]))
}

denoise_options <- function(p, structure) {
    if (!is.null(p$noise)) {
        if (!is.null(p$lambda) || !(p$choose %in% c("cv", "cp"))) wrong("noise is for choose = \"cp\", without lambda")
        p$choose <- "cp"
    }
    c(solve_options(c(p, list(seed = 0))), list(structure = if (is.character(structure)) structure else "matrix", loss = p$loss, isotropic = flag(p, "isotropic"),
      lambda = number(p, "lambda"), choose = p$choose, rule = p$rule, noise = number(p, "noise"), nfolds = number(p, "nfolds", 2),
      nlambda = number(p, "nlambda", 1), lambda.min.ratio = number(p, "lambda.min.ratio")))
}

denoise_signals <- function(y, positions, weights, p, call) {
    if (!is.numeric(y) && !is.logical(y) || length(y) == 0) wrong("y is not a vector, matrix or array of numbers")
    structure <- if (is.null(p$structure)) "chain" else p$structure
    laid <- layout(y, structure)
    n <- nrow(laid$columns)
    F <- if (!is.character(laid$structure)) structure_handle(laid$structure, n)
    on.exit(release(F))
    options <- denoise_options(p, laid$structure)
    line <- function(values, name) {
        if (!is.null(values) && length(values) != n) wrong(name, ": ", length(values), " of them for ", n, " values")
        if (!is.null(values)) as.double(values)
    }
    positions <- line(positions, "positions")
    weights <- line(weights, "weights")
    signals <- lapply(seq_len(ncol(laid$columns)), function(k) {
        s <- .Call(glue_denoise, list(value = laid$columns[, k], position = positions, weight = weights, F = F), options)
        s$outcome <- outcome_name(s$outcome)
        s[c("segments", "tried")] <- lapply(s[c("segments", "tried")], as.data.frame)
        s
    })
    fit <- vapply(signals, `[[`, numeric(n), "x")
    dim(fit) <- dim(y)
    bad <- vapply(signals, function(s) s$outcome %in% c("limit", "stalled"), NA)
    if (any(vapply(signals, `[[`, NA, "interrupted"))) warn("interrupted", "stopped by the user: what was reached is kept")
    else if (any(bad)) warn("not_converged", "the relative gap of ", sum(bad), " of ", length(bad), " signals was not proven to tol")
    structure(class = "spdhg_denoised", list(call = call, x = fit, y = y, positions = positions, structure = if (is.character(structure)) structure else "matrix",
                                             lambda = vapply(signals, `[[`, 0, "lambda"), lambda.sum = vapply(signals, `[[`, 0, "lambda.sum"),
                                             gap = vapply(signals, `[[`, 0, "gap.relative"), df = vapply(signals, `[[`, 0, "degrees"), signals = signals))
}

print.spdhg_denoised <- function(x, ...) {
    cat("Denoised ", paste(if (is.null(dim(x$x))) length(x$x) else dim(x$x), collapse = " x "), " values by ", x$structure, ": lambda ",
        paste(signif(head(x$lambda, 4), 4), collapse = ", "), if (length(x$lambda) > 4) ", ...", "; degrees of freedom ",
        paste(head(x$df, 4), collapse = ", "), "\n", sep = "")
    invisible(x)
}

# The smallest lambda (beside the sum of losses) at which F x = 0.
largest_lambda <- function(y, parts, weights = NULL) {
    n <- length(y)
    x <- as(as(as(Diagonal(n), "dMatrix"), "generalMatrix"), "CsparseMatrix")
    data <- data_handle(x, list(b = as.double(y), targets = 1), weights)
    F <- .Call(glue_structure_new, parts, as.double(n))
    problem <- .Call(glue_problem_new, data, list(loss = "squared", terms = list(list(penalty = "l1", F = F, lambda = 1)), intercept = 0))
    on.exit(release(problem, F, data))
    n * .Call(glue_lambda_max, problem, 0L)
}

soft <- function(x, by) sign(x) * pmax(abs(x) - by, 0)

# genlasso's objective, (1/2) sum (y - beta)^2 + lambda (||D beta||_1 + gamma ||beta||_1): the fit with gamma is that without, with
# its values drawn towards 0 (Friedman, Hastie, Hoefling and Tibshirani 2007).
solve_signal <- function(model, lambda) {
    one <- function(l) {
        options <- denoise_options(list(structure = model$structure, loss = "squared", isotropic = FALSE, lambda = l / length(model$y), choose = "cv", rule = "min",
                                        solver = "auto", nfolds = 5, nlambda = 60, lambda.min.ratio = 1e-6, tol = model$tol, verbose = 0), model$structure)
        s <- .Call(glue_denoise, list(value = as.double(model$y), position = model$pos), options)
        list(beta = soft(s$x, model$gamma * l), gap = s$gap.relative, df = s$degrees, outcome = s$outcome)
    }
    each <- lapply(lambda, one)
    list(beta = matrix(vapply(each, `[[`, numeric(length(model$y)), "beta"), ncol = length(lambda)), gap = vapply(each, `[[`, 0, "gap"),
         df = vapply(each, `[[`, 0, "df"))
}

# With features: the coefficients of X have the structure, without intercept, as in genlasso.
solve_features <- function(model, lambda) {
    n <- NROW(model$y)
    fit <- spdhg.default(model$X, as.double(model$y), structure = model$F, lambda = lambda / n, intercept = FALSE, also.sparse = model$gamma,
                         tol = model$tol, saturation = 0, keep.data = FALSE)
    list(beta = unname(as.matrix(fit$beta)), gap = fit$gap, df = if (all(is.na(fit$table$degrees))) rep(NA_real_, length(lambda)) else fit$table$degrees)
}

signal_model <- function(kind, y, pos, X, structure, gamma, lambda, nlambda, lambda.min.ratio, tol, call, ord = 0) {
    if (anyNA(y)) wrong("y has missing values; denoise takes them")
    n <- length(y)
    gamma <- number(list(gamma = gamma), "gamma")
    if (!is.null(X)) X <- take_x(X)
    parts <- if (startsWith(structure, "grid")) list(spec = structure) else list(order = ord, position = if (!is.null(pos)) as.double(pos))
    model <- list(call = call, kind = kind, y = y, pos = if (!is.null(pos)) as.double(pos), X = X, structure = structure, gamma = gamma, ord = ord, tol = tol,
                  F = if (startsWith(structure, "grid")) structure else parts)
    if (is.null(lambda)) {
        top <- if (is.null(X)) largest_lambda(y, parts) else max(n * suppressWarnings(
            spdhg.default(X, as.double(y), structure = model$F, nlambda = 2, intercept = FALSE, also.sparse = gamma, keep.data = FALSE))$lambda)
        lambda <- top * exp(seq(0, log(lambda.min.ratio), length.out = nlambda))
    }
    lambda <- sort(unique(as.double(lambda)), decreasing = TRUE)
    found <- if (is.null(X)) solve_signal(model, lambda) else solve_features(model, lambda)
    fit <- if (is.null(X)) found$beta else as.matrix(X %*% found$beta)
    structure(class = "spdhg_signal", c(model, list(lambda = lambda, beta = found$beta, fit = unname(fit), df = found$df, gap = found$gap)))
}

fusedlasso1d <- function(y, pos = NULL, X = NULL, gamma = 0, lambda = NULL, nlambda = 100, lambda.min.ratio = 1e-4, tol = 1e-10)
    signal_model("fusedlasso1d", y, pos, X, "chain", gamma, lambda, nlambda, lambda.min.ratio, tol, match.call())

fusedlasso2d <- function(y, X = NULL, dim1 = NULL, dim2 = NULL, gamma = 0, lambda = NULL, nlambda = 100, lambda.min.ratio = 1e-4, tol = 1e-10) {
    sides <- if (!is.null(dim1) && !is.null(dim2)) c(dim1, dim2) else if (is.null(X)) dim(y)
    if (length(sides) != 2) wrong("give a matrix y, or dim1 and dim2")
    model <- signal_model("fusedlasso2d", as.double(y), NULL, X, grid_spec(sides), gamma, lambda, nlambda, lambda.min.ratio, tol, match.call())
    model$sides <- sides
    model
}

trendfilter <- function(y, pos = NULL, X = NULL, ord = 1, lambda = NULL, nlambda = 100, lambda.min.ratio = 1e-6, tol = 1e-10)
    signal_model("trendfilter", y, pos, X, if (ord == 0) "chain" else paste0("trend:", ord), 0, lambda, nlambda, lambda.min.ratio, tol, match.call(), ord)

coef.spdhg_signal <- function(object, lambda = NULL, ...) {
    if (is.null(lambda)) return(list(beta = object$beta, lambda = object$lambda, df = object$df))
    found <- if (is.null(object$X)) solve_signal(object, lambda) else solve_features(object, lambda)
    list(beta = found$beta, lambda = lambda, df = found$df)
}

predict.spdhg_signal <- function(object, lambda = NULL, Xnew = NULL, ...) {
    found <- coef.spdhg_signal(object, lambda)
    X <- if (is.null(Xnew)) object$X else take_x(Xnew)
    list(fit = if (is.null(X)) found$beta else as.matrix(X %*% found$beta), lambda = found$lambda, df = found$df)
}

print.spdhg_signal <- function(x, ...) {
    cat("\nCall: ", deparse1(x$call), "\n\n", sep = "")
    cat(x$kind, " of ", length(x$y), " values at ",
        if (length(x$lambda) == 1) paste("lambda", signif(x$lambda, 4)) else paste(length(x$lambda), "lambdas from", signif(max(x$lambda), 4), "to", signif(min(x$lambda), 4)),
        "; largest relative gap ", bound(suppressWarnings(max(x$gap, na.rm = TRUE))), "\n", sep = "")
    invisible(x)
}
