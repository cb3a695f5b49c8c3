# Data that tests share, and the command, where SPDHG_COMMAND says where it is.
rows_and_score <- function(n = 120, d = 24, seed = 1) {
    set.seed(seed)
    x <- matrix(round(rnorm(n * d), 3), n) * (matrix(runif(n * d), n) < 0.4)
    list(x = as(as(x, "generalMatrix"), "RsparseMatrix"), z = round(drop(x %*% c(rep(1, d / 4), rep(0, d - d / 4))) + 0.5 * rnorm(n), 3))
}

command <- function(...) {
    program <- Sys.getenv("SPDHG_COMMAND")
    out <- suppressWarnings(system2(program, shQuote(c(...)), stdout = TRUE, stderr = FALSE))
    if (!is.null(attr(out, "status")) && !(attr(out, "status") %in% c(0, 4))) stop(paste(out, collapse = "\n"))
    out
}

need_command <- function() skip_if(Sys.getenv("SPDHG_COMMAND") == "", "no SPDHG_COMMAND")

write_svm <- function(file, x, y) {
    text <- vapply(seq_len(nrow(x)), function(i) {
        at <- seq_len(x@p[i + 1] - x@p[i]) + x@p[i]
        paste(c(format(y[i], digits = 17), paste0(x@j[at] + 1, ":", format(x@x[at], digits = 17, trim = TRUE))), collapse = " ")
    }, "")
    # the last column may be empty: one row names it
    if (max(x@j) + 1 < ncol(x)) text[1] <- paste0(text[1], " ", ncol(x), ":0")
    writeLines(text, file)
}

# f of a fit, by its definition.
lasso_objective <- function(x, y, beta, a0, lambda, F = diag(ncol(x)))
    mean((y - a0 - x %*% beta)^2) / 2 + lambda * sum(abs(F %*% beta))
