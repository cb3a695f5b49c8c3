# methods.R - what can be asked of a fit: print, summary, coef, predict, fitted, residuals, deviance, logLik, nobs.

# Places on the path for values of lambda, as in glmnet: linear between the two neighbours, the nearest one outside.
between <- function(lambda, s) {
    if (length(lambda) == 1) return(list(left = rep(1L, length(s)), right = rep(1L, length(s)), share = rep(1, length(s))))
    s <- pmin(pmax(s, min(lambda)), max(lambda))
    at <- approx(lambda, seq_along(lambda), s)$y
    left <- floor(at)
    right <- ceiling(at)
    share <- ifelse(left == right, 1, (s - lambda[right]) / (lambda[left] - lambda[right]))
    list(left = left, right = right, share = share)
}

sparse_columns <- function(m) as(as(m, "generalMatrix"), "CsparseMatrix")

at_lambda <- function(beta, a0, lambda, s) {
    full <- rbind("(Intercept)" = a0, beta)
    if (is.null(s)) return(full)
    if (!is.numeric(s)) wrong("s is not a vector of numbers")
    b <- between(lambda, s)
    out <- full[, b$left, drop = FALSE] %*% Diagonal(x = b$share) + full[, b$right, drop = FALSE] %*% Diagonal(x = 1 - b$share)
    out <- sparse_columns(out)
    dimnames(out) <- list(rownames(full), if (length(s) == 1) "s1" else paste0("s", seq_along(s)))
    out
}

coef.spdhg <- function(object, s = NULL, ...) {
    if (is.list(object$beta))
        return(lapply(stats::setNames(seq_along(object$beta), names(object$beta)), function(k)
            at_lambda(object$beta[[k]], object$a0[k, ], object$lambda, s)))
    at_lambda(object$beta, object$a0, object$lambda, s)
}

nonzero_places <- function(full) {
    full <- sparse_columns(full[-1, , drop = FALSE])
    lapply(seq_len(ncol(full)), function(i) full@i[seq_len(full@p[i + 1] - full@p[i]) + full@p[i]] + 1L)
}

# Products with rows of x, whatever its class; rows NULL: all of them.
times <- function(x, beta, rows = NULL) {
    if (is(x, "dgRMatrix")) {
        turned <- new("dgCMatrix", p = x@p, i = x@j, x = x@x, Dim = rev(x@Dim)) # the same numbers
        if (!is.null(rows)) turned <- turned[, rows, drop = FALSE]
        return(as.matrix(crossprod(turned, beta)))
    }
    if (!is.null(rows)) x <- x[rows, , drop = FALSE]
    unname(as.matrix(x %*% beta))
}

# Scores of new rows: rows x lambdas, or rows x outputs x lambdas.
scores_at <- function(object, newx, s, newoffset) {
    coefs <- coef.spdhg(object, s)
    newx <- take_x(newx)
    if (ncol(newx) != object$dim[2]) wrong("newx has ", ncol(newx), " columns, the fit ", object$dim[2], " features")
    if (object$offset && is.null(newoffset)) wrong("the fit has an offset; give newoffset")
    one <- function(full, k) {
        eta <- times(newx, full[-1, , drop = FALSE]) + rep(full[1, ], each = nrow(newx))
        if (!is.null(newoffset)) eta <- eta + (if (is.matrix(newoffset)) newoffset[, k] else as.double(newoffset))
        dimnames(eta) <- list(rownames(newx), if (is.null(s)) colnames(full) else paste0("s", seq_along(s)))
        eta
    }
    if (!is.list(coefs)) return(one(coefs, 1))
    parts <- lapply(seq_along(coefs), function(k) one(coefs[[k]], k))
    aperm(array(unlist(parts), c(nrow(newx), ncol(parts[[1]]), length(parts)), list(rownames(newx), colnames(parts[[1]]), names(coefs))), c(1, 3, 2))
}

softmax <- function(eta) {
    top <- apply(eta, c(1, 3), max)
    part <- exp(eta - aperm(array(top, dim(eta)[c(1, 3, 2)]), c(1, 3, 2)))
    part / aperm(array(apply(part, c(1, 3), sum), dim(eta)[c(1, 3, 2)]), c(1, 3, 2))
}

to_response <- function(object, eta) switch(object$loss, logistic = stats::plogis(eta), softmax = softmax(eta), poisson = exp(eta), eta)

to_class <- function(object, eta) {
    if (!object$classify) wrong("type = \"class\" is for labels")
    if (length(dim(eta)) == 3) {
        best <- apply(eta, c(1, 3), which.max)
        return(matrix(object$classnames[best], nrow(best), dimnames = dimnames(eta)[c(1, 3)]))
    }
    matrix(object$classnames[1 + (eta > 0)], nrow(eta), dimnames = dimnames(eta))
}

predict.spdhg <- function(object, newx, s = NULL, type = c("link", "response", "coefficients", "nonzero", "class"), newoffset = NULL,
                          newdata = NULL, ...) {
    type <- match.arg(type)
    if (type == "coefficients") return(coef.spdhg(object, s))
    if (type == "nonzero") {
        full <- coef.spdhg(object, s)
        return(if (is.list(full)) lapply(full, nonzero_places) else nonzero_places(full))
    }
    if (!is.null(object$terms) && (!missing(newx) && is.data.frame(newx) || !is.null(newdata))) {
        frame <- frame_of(object, if (is.null(newdata)) newx else newdata)
        newx <- frame$x
        if (is.null(newoffset)) newoffset <- frame$offset
    } else if (missing(newx)) wrong("newx is missing")
    eta <- scores_at(object, newx, s, newoffset)
    switch(type, link = eta, response = to_response(object, eta), class = to_class(object, eta))
}

kept <- function(object, what) {
    if (is.null(object$x)) wrong(what, " needs x and y, which the fit did not keep (keep.data = FALSE)")
    object
}

fitted.spdhg <- function(object, s = NULL, type = "response", ...) {
    kept(object, "fitted")
    predict.spdhg(object, object$x, s, type, newoffset = object$offsets)
}

# y less its mean by the fit; deviance: the signed square root of a row's share of the deviance.
residuals.spdhg <- function(object, s = NULL, type = c("response", "deviance"), ...) {
    type <- match.arg(type)
    kept(object, "residuals")
    mean <- fitted.spdhg(object, s)
    y <- object$y
    if (object$classify) {
        place <- match(as.character(y), object$classnames)
        y <- if (object$loss == "softmax") outer(place, seq_along(object$classnames), "==") * 1 else place - 1
        if (!(object$loss %in% c("logistic", "softmax"))) y <- 2 * y - 1
    }
    raw <- if (length(dim(mean)) == 3) array(as.double(y), dim(mean)) - mean else as.vector(y) - mean
    if (type == "response") return(raw)
    half <- switch(object$loss, squared = raw^2, logistic = -2 * log(pmax(1 - abs(raw), 1e-300)),
                   poisson = 2 * (y * log(pmax(y, 1e-300) / mean) - raw), wrong("residuals: no deviance of rows for family ", object$family))
    sign(raw) * sqrt(pmax(half, 0))
}

nobs.spdhg <- function(object, ...) object$nobs
deviance.spdhg <- function(object, ...) (1 - object$dev.ratio) * object$nulldev

# Degrees of freedom: those of the structure where they are known, else the nonzero coefficients; and the intercept.
degrees_of <- function(object) {
    inside <- ifelse(is.na(object$table$degrees), if (object$structure == "identity") object$table$nonzeros else NA, object$table$degrees)
    inside + isTRUE(object$parameters$intercept) * NROW(if (is.matrix(object$a0)) object$a0 else 1)
}

logLik.spdhg <- function(object, ...) {
    n <- object$nobs
    dev <- deviance.spdhg(object)
    df <- degrees_of(object)
    value <- switch(object$loss, squared = -n / 2 * (log(2 * pi * dev / n) + 1), logistic = , softmax = -dev / 2,
                    poisson = -dev / 2 + sum(stats::dpois(round(kept(object, "logLik")$y), pmax(object$y, 1e-300), log = TRUE)),
                    wrong("logLik: family ", object$family, " has no likelihood"))
    structure(value, df = df + (object$loss == "squared"), nobs = n, class = "logLik")
}

coef_table <- function(object, s = NULL, nonzero = FALSE) {
    if (inherits(object, "cv.spdhg")) {
        s <- lambda_of(object, if (is.null(s)) "lambda.1se" else s)
        object <- object$spdhg.fit
    }
    full <- coef.spdhg(object, if (is.null(s)) object$lambda else s)
    lambda <- if (is.null(s)) object$lambda else s
    one <- function(m, output) {
        out <- data.frame(feature = rep(rownames(m), ncol(m)), lambda = rep(lambda, each = nrow(m)), value = as.vector(as.matrix(m)), stringsAsFactors = FALSE)
        if (!is.null(output)) out <- cbind(output = output, out, stringsAsFactors = FALSE)
        out
    }
    out <- if (is.list(full)) do.call(rbind, Map(one, full, names(full))) else one(full, NULL)
    if (nonzero) out <- out[out$value != 0, ]
    rownames(out) <- NULL
    out
}

print.spdhg <- function(x, digits = max(3, getOption("digits") - 3), ...) {
    cat("\nCall: ", deparse1(x$call), "\n\n")
    print(data.frame(Df = x$df, `%Dev` = round(100 * x$dev.ratio, 2), Lambda = signif(x$lambda, digits), Gap = bound(x$gap), check.names = FALSE), ...)
    if (!is.null(x$chosen)) cat("\nchosen by ", x$parameters$choose, ": lambda ", signif(x$lambda.chosen, digits), "\n", sep = "")
    invisible(x)
}

summary.spdhg <- function(object, ...) {
    table <- data.frame(lambda = object$lambda, df = object$df, degrees = object$table$degrees, deviance = deviance.spdhg(object), dev.ratio = object$dev.ratio,
                        objective = object$table$objective, gap.relative = object$gap, outcome = object$table$outcome)
    structure(class = "summary.spdhg", list(call = object$call, family = object$family, structure = object$structure, dim = object$dim,
                                            outcome = object$outcome, table = table, proven = sum(table$outcome == "converged")))
}

print.summary.spdhg <- function(x, ...) {
    cat("\nCall: ", deparse1(x$call), "\n\n", "family ", x$family, ", structure ", x$structure, "; ", x$dim[1], " rows, ", x$dim[2], " features\n",
        x$proven, " of ", nrow(x$table), " answers proven to the tolerance (", x$outcome, ")\n\n", sep = "")
    print(x$table, ...)
    invisible(x)
}
