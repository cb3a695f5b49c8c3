# plot.R - pictures: paths, cross-validation, coefficients on the structure they live on, graphs, signals.

BLUE <- "#2166ac"
RED <- "#b2182b"
NAMED <- 60 # nodes of a graph that are drawn even without an edge, and named

dense_beta <- function(object, output) {
    beta <- if (is.list(object$beta)) object$beta[[output]] else object$beta
    as.matrix(beta)
}

# Nonzero coefficients at marks of the axis: those of the first point of the path that is not left of the mark, as in glmnet.
counts_at <- function(at, df, marks) {
    order <- order(at)
    approx(at[order], df[order], marks, method = "constant", rule = 2, f = 1, ties = "ordered")$y
}

plot_path <- function(object, xvar, label, output, ...) {
    beta <- dense_beta(object, output)
    used <- which(rowSums(beta != 0) > 0)
    if (length(used) == 0) wrong("no coefficient is nonzero anywhere on the path")
    beta <- beta[used, , drop = FALSE]
    at <- switch(xvar, lambda = log(object$lambda), norm = colSums(abs(beta)), dev = object$dev.ratio)
    name <- c(lambda = "log lambda", norm = "L1 norm", dev = "fraction of deviance explained")[[xvar]]
    matplot(at, t(beta), type = "l", lty = 1, xlab = name, ylab = "coefficients", ...)
    marks <- pretty(at)
    axis(3, at = marks, labels = counts_at(at, object$df, marks), tcl = NA)
    if (label) text(at[length(at)], beta[, ncol(beta)], labels = rownames(beta), cex = 0.6, pos = if (xvar == "lambda") 4 else 2)
}

# Colours from blue (negative) over white to red.
shades <- function(value) {
    most <- max(abs(value), 1e-300)
    colorRampPalette(c(BLUE, "white", RED))(101)[round(50 * value / most) + 51]
}

plot_image <- function(values, sides, ...) {
    most <- max(abs(values), 1e-300)
    picture <- matrix(values, sides[1], sides[2])
    image(seq_len(sides[2]), seq_len(sides[1]), t(picture[rev(seq_len(sides[1])), , drop = FALSE]), col = colorRampPalette(c(BLUE, "white", RED))(101),
          zlim = c(-most, most), xlab = "", ylab = "", axes = FALSE, asp = 1, ...)
}

plot_graph <- function(edges, value, names, ...) {
    nodes <- if (length(names) <= NAMED || nrow(edges) == 0) seq_along(names) else sort(unique(as.vector(edges)))
    angle <- 2 * pi * seq_along(nodes) / max(1, length(nodes))
    x <- y <- numeric(max(nodes, 1))
    x[nodes] <- cos(angle)
    y[nodes] <- sin(angle)
    plot(NULL, xlim = c(-1.3, 1.3), ylim = c(-1.3, 1.3), axes = FALSE, xlab = "", ylab = "", asp = 1, ...)
    segments(x[edges[, 1]], y[edges[, 1]], x[edges[, 2]], y[edges[, 2]], col = "grey70")
    points(x[nodes], y[nodes], pch = 21, cex = 1.6, bg = if (is.null(value)) "white" else shades(value)[nodes])
    if (length(nodes) <= NAMED) text(1.15 * x[nodes], 1.15 * y[nodes], names[nodes], cex = 0.7)
}

# Coefficients at one lambda on the structure: a line of them, a picture, or nodes of a graph.
plot_coefficients <- function(object, s, output, ...) {
    s <- one_lambda(object, s)
    full <- coef.spdhg(object, s)
    if (is.list(full)) full <- full[[output]]
    value <- as.vector(full)[-1]
    names <- rownames(full)[-1]
    if (startsWith(object$structure, "grid:") && length(sides_in(object$structure)) == 2) return(plot_image(value, rev(sides_in(object$structure)), ...))
    if (!is.null(object$edges) && nrow(object$edges$edges) > 0) return(plot_graph(object$edges$edges, value, names, ...))
    step <- object$structure == "chain"
    plot(seq_along(value), value, type = if (step) "s" else if (startsWith(object$structure, "trend")) "l" else "h", xlab = "feature", ylab = "coefficient", ...)
    abline(h = 0, col = "grey70")
}

plot.spdhg <- function(x, xvar = c("lambda", "norm", "dev"), what = c("path", "coefficients"), s = NULL, label = FALSE, output = 1, ...) {
    what <- match.arg(what)
    if (what == "coefficients" || length(x$lambda) == 1) plot_coefficients(x, s, output, ...)
    else plot_path(x, match.arg(xvar), label, output, ...)
    invisible(x)
}

plot.cv.spdhg <- function(x, ...) {
    at <- log(x$lambda)
    plot(at, x$cvm, ylim = range(x$cvup, x$cvlo, na.rm = TRUE), xlab = "log lambda", ylab = x$name, type = "n", ...)
    segments(at, x$cvlo, at, x$cvup, col = "grey60")
    points(at, x$cvm, pch = 20, col = RED)
    axis(3, at = at, labels = x$nzero, tick = FALSE, line = -0.5, cex.axis = 0.7)
    abline(v = log(c(x$lambda.min, x$lambda.1se)), lty = 3)
    invisible(x)
}

plot.spdhg_graph <- function(x, ...) {
    names <- if (is.null(x$names)) seq_len(ncol(x$F)) else x$names
    plot_graph(x$edges, NULL, names, ...)
    invisible(x)
}

plot.spdhg_denoised <- function(x, ...) {
    if (length(dim(x$x)) == 2 && length(x$signals) == 1) plot_image(x$x, dim(x$x), ...)
    else {
        at <- if (is.null(x$positions)) seq_len(NROW(x$x)) else x$positions
        order <- order(at)
        matplot(at, x$y, pch = 20, col = "grey60", xlab = "position", ylab = "value", ...)
        matplot(at[order], as.matrix(x$x)[order, , drop = FALSE], type = "l", lty = 1, col = RED, add = TRUE)
    }
    invisible(x)
}

plot.spdhg_signal <- function(x, lambda = NULL, ...) {
    fit <- if (is.null(lambda)) x$beta[, ceiling(ncol(x$beta) / 2)] else coef.spdhg_signal(x, lambda)$beta[, 1]
    if (!is.null(x$sides)) plot_image(fit, x$sides, ...)
    else {
        at <- if (is.null(x$pos)) seq_along(fit) else x$pos
        if (is.null(x$X)) plot(at, x$y, pch = 20, col = "grey60", xlab = "position", ylab = "value", ...)
        else plot(at, fit, type = "n", xlab = "feature", ylab = "coefficient", ...)
        lines(at, fit, col = RED, lwd = 2)
    }
    invisible(x)
}
