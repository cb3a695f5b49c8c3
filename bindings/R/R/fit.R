# fit.R - a path over lambda, or one solve, as an object of class spdhg. Its fields are those of glmnet, where glmnet has them.

spdhg <- function(x, ...) UseMethod("spdhg")
cv.spdhg <- function(x, ...) UseMethod("cv.spdhg")

lambdas_of <- function(lambda) {
    if (is.null(lambda)) return(NULL)
    if (!is.numeric(lambda) || length(lambda) == 0 || anyNA(lambda) || any(!is.finite(lambda) | lambda < 0)) wrong("lambda is not a vector of finite numbers of at least 0")
    sort(unique(as.double(lambda)), decreasing = TRUE)
}

# Checked input, used by fits, cross-validation and proofs alike.
take <- function(x, y, p) {
    x <- take_x(x)
    family <- family_of(p$family)
    list(x = x, y = take_y(y, family, nrow(x)), family = family)
}

fit_model <- function(x, y, p, call) {
    given <- list(x = x, y = y)
    with <- take(x, y, p)
    p$lambda <- lambdas_of(p$lambda)
    found <- if (length(p$lambda) == 1) solve_once(with, p) else walk_path(with, p)
    call[[1]] <- quote(spdhg)
    make_fit(found, with, p, call, given)
}

solve_once <- function(with, p, keep = FALSE, start = NULL, names = NULL) {
    handles <- problem_of(with$x, with$y, with$family, p, p$lambda, names)
    if (!keep) on.exit(close_problem(handles))
    if (!is.null(p$param) && is.null(names(p$param))) wrong("param is not a named list")
    answer <- .Call(glue_solve, handles$problem, c(solve_options(p), list(param = as.list(p$param)), start))
    view <- .Call(glue_problem_view, handles$problem)
    null <- .Call(glue_problem_null, handles$problem)
    if (!keep) release(answer$handle)
    outputs <- view$outputs
    x <- matrix(answer$x, nrow = outputs)
    beta <- lapply(seq_len(outputs), function(k) as(as(matrix(x[k, ], ncol = 1), "generalMatrix"), "CsparseMatrix"))
    table <- list(lambda = p$lambda, objective = answer$objective, train.loss = answer$train.loss, penalty = answer$penalty,
                  gap.relative = answer$gap.relative, seconds = answer$seconds, degrees = NA_real_, nonzeros = sum(x != 0),
                  structure.nonzeros = answer$structure.nonzeros, outcome = answer$outcome)
    if (answer$gap.kind != "certified") table$gap.relative <- NA_real_
    list(beta = beta, a0 = matrix(answer$c, nrow = outputs), table = table, null = null, view = view, structure = look_at(handles),
         interrupted = answer$interrupted, outcome = answer$outcome, dual = answer$y, solver = answer$solver, trace = as.data.frame(answer$trace),
         gap = answer$gap, handles = if (keep) c(handles, list(solver = answer$handle)))
}

path_options <- function(p) {
    single <- c("param", "checkpoint", "resume")
    given <- single[!vapply(p[single], is.null, NA)]
    if (length(given) > 0) wrong(given[1], " is for a single lambda; a path has none")
    c(solve_options(p), list(lambda = p$lambda, nlambda = number(p, "nlambda", 1), lambda.min.ratio = number(p, "lambda.min.ratio"),
                             lambda.max = number(p, "lambda.max"), saturation = number(p, "saturation"), noise = number(p, "noise"),
                             choose = if (is.null(p$choose)) "none" else p$choose, learned = as.double(identical(p$structure, "learned"))))
}

walk_path <- function(with, p, folds = list()) {
    if (!is.null(p$choose)) choice(p, "choose", c("aic", "bic", "ebic", "cp"))
    handles <- problem_of(with$x, with$y, with$family, p, 1)
    on.exit(close_problem(handles))
    path <- .Call(glue_path, handles$problem, c(path_options(p), folds))
    list(beta = path$all$beta, a0 = path$all$a0, table = path$table, null = .Call(glue_problem_null, handles$problem),
         view = .Call(glue_problem_view, handles$problem), structure = look_at(handles), interrupted = path$interrupted, outcome = path$outcome,
         solver = p$solver, chosen = if (!is.null(p$choose)) path$chosen + 1, folds = path$folds, held.out = path$held.out, scores = path$scores)
}

look_at <- function(handles) {
    F <- .Call(glue_structure_view, handles$F)
    graph <- !(sub(":.*", "", F$spec) %in% c("identity", "chain", "trend", "grid"))
    list(spec = F$spec, edges = if (graph) edges_in(new("dgRMatrix", p = F$p, j = F$j, x = F$x, Dim = as.integer(c(F$rows, F$features)))),
         report = handles$learned$report)
}

tell <- function(found) {
    if (found$interrupted) return(warn("interrupted", "stopped by the user: what was reached is kept"))
    open <- found$table$outcome %in% c("limit", "stalled", "infimum")
    if (any(open)) {
        gaps <- found$table$gap.relative[open]
        known <- gaps[!is.na(gaps)]
        warn("not_converged", "at ", sum(open), " of ", length(open), " lambdas the relative gap was not proven to tol; ",
             if (length(known) > 0) paste0("the largest is ", bound(max(known), 3)), if (length(known) > 0 && anyNA(gaps)) ", and ",
             if (anyNA(gaps)) paste0("at ", sum(is.na(gaps)), " no gap is known"))
    }
    if (any(found$table$outcome == "diverged")) warn("diverged", "the solver diverged; the last answer before that is kept")
}

make_fit <- function(found, with, p, call, given) {
    found$table$outcome <- outcome_name(found$table$outcome)
    table <- structure(found$table, class = "data.frame", row.names = .set_row_names(length(found$table$lambda))) # as.data.frame takes longer than a small fit
    rows <- nrow(with$x)
    outputs <- found$view$outputs
    places <- list(feature_names(with$x), paste0("s", seq_along(table$lambda) - 1))
    beta <- lapply(found$beta, function(b) {
        b@Dimnames <- places
        b
    })
    labels <- with$y$labels
    a0 <- found$a0
    if (outputs > 1) {
        names(beta) <- if (!is.null(labels)) labels else if (!is.null(with$y$names)) with$y$names else paste0("y", seq_len(outputs))
        dimnames(a0) <- list(names(beta), places[[2]])
        df <- used_by_any(beta)
    } else {
        beta <- beta[[1]]
        a0 <- a0[1, ]
        names(a0) <- places[[2]]
        df <- diff(beta@p)
    }
    fit <- list(call = call, a0 = a0, beta = beta, df = df, dim = dim(with$x), lambda = table$lambda, dev.ratio = 1 - table$train.loss / found$null,
                nulldev = 2 * (if (is.null(p$weights)) rows else sum(p$weights)) * found$null, nobs = rows, family = with$family$name, loss = with$family$loss, classify = with$family$classify,
                classnames = labels, offset = !is.null(p$offset), gap = table$gap.relative, table = table, structure = found$structure$spec,
                edges = found$structure$edges, graph = found$structure$report, outcome = outcome_name(found$outcome), solver = found$solver,
                dual = found$dual, trace = found$trace, chosen = found$chosen, lambda.chosen = if (!is.null(found$chosen)) table$lambda[found$chosen],
                parameters = p, x = if (isTRUE(p$keep.data)) given$x, y = if (isTRUE(p$keep.data)) given$y)
    fit$parameters[c("weights", "offset")] <- NULL
    if (isTRUE(p$keep.data)) fit[c("weights", "offsets")] <- list(p$weights, p$offset)
    class(fit) <- "spdhg"
    tell(found)
    fit
}

# Features that some output uses, for each lambda.
used_by_any <- function(beta) {
    some <- Reduce(`+`, lapply(beta, function(b) abs(sign(b))))
    diff(as(as(some, "generalMatrix"), "CsparseMatrix")@p)
}
