# gap.R - proofs: how far any coefficients can be from the best possible, certificates, and models that the command reads.

one_lambda <- function(object, s) {
    if (inherits(object, "cv.spdhg")) return(lambda_of(object, if (is.null(s)) "lambda.1se" else s))
    if (is.null(s)) s <- if (!is.null(object$lambda.chosen)) object$lambda.chosen else if (length(object$lambda) == 1) object$lambda
    if (!is.numeric(s) || length(s) != 1) wrong("s: which lambda? The fit has ", length(object$lambda))
    s
}

# The problem of a fit at one lambda.
again <- function(object, s) {
    s <- one_lambda(object, s)
    fit <- kept(if (inherits(object, "cv.spdhg")) object$spdhg.fit else object, "a proof")
    p <- fit$parameters
    p[c("weights", "offset")] <- list(fit$weights, fit$offsets)
    p["choose"] <- list(NULL)
    p$lambda <- s
    list(p = p, with = take(fit$x, fit$y, p), fit = fit, s = s)
}

# A gap with so many digits, rounded up: a bound that is printed must not claim more than is proven.
bound <- function(gap, digits = 2) {
    shown <- signif(gap, digits)
    low <- which(shown < gap)
    shown[low] <- signif(shown[low] + 10^(floor(log10(shown[low])) - digits + 1), digits)
    shown
}

duality_gap <- function(object, s = NULL, coef = NULL, intercept = NULL, dual = NULL) {
    now <- again(object, s)
    handles <- problem_of(now$with$x, now$with$y, now$with$family, now$p, now$s)
    on.exit(close_problem(handles))
    view <- .Call(glue_problem_view, handles$problem)
    if (is.null(coef)) {
        full <- coef.spdhg(now$fit, now$s)
        full <- if (is.list(full)) do.call(cbind, full) else full
        coef <- as.matrix(full[-1, , drop = FALSE])
        if (is.null(intercept)) intercept <- full[1, ]
        if (is.null(dual) && length(now$fit$lambda) == 1) dual <- now$fit$dual
    }
    coef <- as.matrix(coef)
    if (identical(rownames(coef)[1], "(Intercept)")) { # the table that coef() returns, also of another package
        if (is.null(intercept)) intercept <- coef[1, ]
        coef <- coef[-1, , drop = FALSE]
    }
    if (nrow(coef) != view$features || ncol(coef) != view$outputs) wrong("coef is ", nrow(coef), " x ", ncol(coef), ", expected ", view$features, " x ", view$outputs)
    if (length(view$scale) > 0) coef <- coef * view$scale
    if (!is.null(dual) && length(dual) != view$dual) wrong("dual has ", length(dual), " numbers, the problem ", view$dual)
    c <- if (is.null(intercept)) numeric(view$outputs) else rep_len(as.double(intercept), view$outputs)
    threads <- now$p$threads
    .Call(glue_duality_gap, handles$problem, if (is.null(threads)) 0L else as.integer(threads), as.double(t(coef)), c, if (!is.null(dual)) as.double(dual))
}

# Solves again at one lambda and hands the solver to `use`.
with_solver <- function(object, s, use) {
    now <- again(object, s)
    found <- solve_once(now$with, now$p, keep = TRUE, names = feature_names(now$with$x))
    on.exit({
        release(found$handles$solver)
        close_problem(found$handles)
    })
    use(found$handles$solver)
    found$table$outcome <- outcome_name(found$table$outcome)
    tell(found)
    invisible(list(lambda = now$s, objective = found$table$objective, gap = found$gap, gap.relative = found$table$gap.relative))
}

certificate <- function(object, file, s = NULL) with_solver(object, s, function(solver) .Call(glue_certificate, solver, file))
write_model <- function(object, file, s = NULL) with_solver(object, s, function(solver) .Call(glue_model_write, solver, file))

read_model <- function(file) {
    model <- .Call(glue_model_read, file)
    outputs <- model$outputs
    names <- if (is.null(model$names)) paste0("V", seq_len(model$features)) else model$names
    labels <- if (!is.null(model$class.text)) model$class.text else as.character(model$class.value)
    x <- matrix(model$x, nrow = outputs)
    beta <- lapply(seq_len(outputs), function(k) sparse_columns(as(matrix(x[k, ], ncol = 1, dimnames = list(names, "s0")), "dMatrix")))
    family <- family_of(model$loss)
    fit <- list(call = match.call(), a0 = if (outputs > 1) matrix(model$c, ncol = 1) else c(s0 = model$c), beta = if (outputs > 1) beta else beta[[1]],
                df = sum(colSums(x != 0) > 0), dim = c(NA, model$features), lambda = model$lambda, dev.ratio = NA_real_, nulldev = NA_real_, nobs = NA_integer_,
                family = family$name, loss = sub(":.*", "", model$loss), classify = model$classify, classnames = if (length(labels) > 0) labels, offset = FALSE,
                gap = model$gap / abs(model$objective), structure = model$structure, outcome = model$outcome, parameters = list(intercept = model$intercept),
                table = data.frame(lambda = model$lambda, objective = model$objective, degrees = NA_real_, nonzeros = sum(x != 0), outcome = model$outcome))
    if (outputs > 1) {
        names(fit$beta) <- if (length(labels) == outputs) labels else paste0("y", seq_len(outputs))
        rownames(fit$a0) <- names(fit$beta)
    }
    structure(fit, class = "spdhg")
}
