# Fits against their definition, in every layout of x; what a fit has, and what it says when it cannot.
test_that("the answer does not depend on how x is stored", {
    d <- rows_and_score()
    dense <- as.matrix(d$x)
    by_rows <- spdhg(d$x, d$z, lambda = 0.05, structure = "chain")
    for (x in list(as(d$x, "CsparseMatrix"), as(as(d$x, "CsparseMatrix"), "TsparseMatrix"))) expect_identical(spdhg(x, d$z, lambda = 0.05, structure = "chain")$beta@x, by_rows$beta@x)
    expect_equal(spdhg(dense, d$z, lambda = 0.05, structure = "chain", tol = 1e-12)$beta@x, spdhg(d$x, d$z, lambda = 0.05, structure = "chain", tol = 1e-12)$beta@x, tolerance = 1e-9)
    expect_equal(spdhg(as.data.frame(dense), d$z, lambda = 0.05)$table$objective, spdhg(d$x, d$z, lambda = 0.05)$table$objective, tolerance = 1e-9)
    logical <- spdhg(as(d$x != 0, "CsparseMatrix"), d$z, lambda = 0.05)
    expect_equal(logical$table$objective, spdhg((dense != 0) * 1, d$z, lambda = 0.05)$table$objective, tolerance = 1e-9)
    disorder <- d$x
    at <- disorder@p[2] + 1:2
    disorder@j[at] <- rev(disorder@j[at])
    disorder@x[at] <- rev(disorder@x[at])
    expect_equal(spdhg(disorder, d$z, lambda = 0.05, structure = "chain")$beta@x, by_rows$beta@x, tolerance = 1e-6)
})

test_that("the objective is that of the definition, and the gap bounds it", {
    d <- rows_and_score()
    x <- as.matrix(d$x)
    F <- diff(diag(24))
    fit <- spdhg(x, d$z, structure = "chain", lambda = c(0.3, 0.1, 0.01))
    for (i in 1:3) expect_equal(lasso_objective(x, d$z, fit$beta[, i], fit$a0[[i]], fit$lambda[i], F), fit$table$objective[i], tolerance = 1e-10)
    expect_true(all(fit$gap < 1e-6))
    near <- as.vector(fit$beta[, 2]) + 0.01
    expect_identical(duality_gap(fit, s = 0.1, coef = coef(fit, s = 0.1)), duality_gap(fit, s = 0.1)) # with its row for the intercept
    gap <- duality_gap(fit, s = 0.1, coef = near)
    expect_identical(gap$kind, "certified")
    expect_gte(gap$gap, gap$objective - fit$table$objective[2])
    expect_lt(duality_gap(spdhg(x, d$z, structure = "chain", lambda = 0.1))$relative, 1e-6)
})

test_that("structures are the same, however they are given", {
    d <- rows_and_score()
    x <- as.matrix(d$x)
    colnames(x) <- paste0("g", 1:24)
    chain <- spdhg(x, d$z, structure = "chain", lambda = 0.05, tol = 1e-10)
    edges <- cbind(1:23, 2:24)
    F <- Matrix::sparseMatrix(i = rep(1:23, 2), j = c(1:23, 2:24), x = rep(c(-1, 1), each = 23))
    adjacency <- Matrix::sparseMatrix(i = c(1:23, 2:24), j = c(2:24, 1:23), x = 1)
    named <- data.frame(from = paste0("g", 1:23), to = paste0("g", 2:24))
    forms <- list(edges, cbind(edges, 1), F, adjacency, as.matrix(adjacency), named)
    if (requireNamespace("igraph", quietly = TRUE)) {
        graph <- igraph::graph_from_edgelist(edges, directed = FALSE)
        called <- igraph::set_vertex_attr(graph, "name", value = paste0("g", 1:24))
        forms <- c(forms, list(graph, called))
    }
    for (form in forms) expect_equal(as.vector(spdhg(x, d$z, structure = form, lambda = 0.05, tol = 1e-10)$beta), as.vector(chain$beta), tolerance = 1e-7)
    grid <- function(h, w) {
        at <- matrix(seq_len(h * w), h)
        rbind(cbind(as.vector(at[-h, ]), as.vector(at[-1, ])), cbind(as.vector(at[, -w]), as.vector(at[, -1])))
    }
    expect_equal(as.vector(spdhg(x, d$z, structure = c(4, 6), lambda = 0.05, tol = 1e-10)$beta),
                 as.vector(spdhg(x, d$z, structure = grid(4, 6), lambda = 0.05, tol = 1e-10)$beta), tolerance = 1e-7)
    expect_error(spdhg(x, d$z, structure = "grid", lambda = 1), "not a square", class = "spdhg_usage_error")
    expect_error(spdhg(x, d$z, structure = cbind("g1", "h"), lambda = 1), "no feature is called 'h'")
    expect_error(spdhg(x, d$z, structure = cbind(1, 99), lambda = 1), "1 to 24")
    expect_error(spdhg(x, d$z, structure = list(), lambda = 1), "neither")
})

test_that("groups, weights of rows of F, sets and several targets", {
    d <- rows_and_score()
    fit <- spdhg(d$x, d$z, penalty = "group", groups = rep(0:5, each = 4), lambda = 0.15)
    norms <- colSums(matrix(as.vector(fit$beta)^2, 4))
    expect_true(any(norms == 0) && any(norms > 0) && all(colSums(matrix(as.vector(fit$beta) != 0, 4)) %in% c(0, 4)))
    lettered <- rep(c("f", "b", "c", "d", "e", "a"), each = 4)
    for (same in list(lettered, factor(lettered), split(1:24, lettered)))
        expect_identical(spdhg(d$x, d$z, penalty = "group", groups = same, lambda = 0.15)$beta, fit$beta)
    free <- spdhg(d$x, d$z, penalty.weights = c(0, rep(1, 23)), lambda = 1e3)
    expect_identical(predict(free, type = "nonzero"), list(1L))
    expect_true(all(as.vector(spdhg(d$x, -d$z, set = "nonneg", lambda = 0.01)$beta) >= 0))
    two <- spdhg(d$x, cbind(a = d$z, b = -d$z), family = "mgaussian", lambda = c(0.1, 0.05))
    one <- spdhg(d$x, d$z, lambda = c(0.1, 0.05), tol = 1e-10)
    expect_equal(as.vector(two$beta$a), as.vector(one$beta), tolerance = 1e-4)
    expect_equal(as.vector(two$beta$b), -as.vector(one$beta), tolerance = 1e-4)
    expect_identical(dim(predict(two, d$x[1:4, ])), c(4L, 2L, 2L))
})

test_that("errors are conditions with their class", {
    d <- rows_and_score()
    expect_error(spdhg(d$x, d$z[-1]), "119 rows", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, replace(d$z, 3, NA)), "missing", class = "spdhg_error")
    bad <- as.matrix(d$x)
    bad[7, 2] <- Inf
    for (value in c(Inf, NA)) for (kind in c("matrix", "CsparseMatrix", "RsparseMatrix")) {
        bad[7, 2] <- value
        expect_error(spdhg(as(bad, kind), d$z, lambda = 1), "missing or infinite.*row 7, column 2; leave", class = "spdhg_data_error")
    }
    expect_error(spdhg(d$x, d$z, family = "gausian", lambda = 1), "gausian.*expected one of: gaussian, .*huber", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, d$z, lambda = -1), "at least 0", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, d$z, lamda = 1), "did you mean 'lambda'", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, d$z, structure = "chian", lambda = 1), "chain", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, d$z, lambda = 1, also.sparse = -1), "also.sparse")
    expect_error(spdhg(d$x, d$z, lambda = 1, set = "ball:x"), class = "spdhg_usage_error")
    expect_error(spdhg(d$x, letters[1:3][1 + (d$z > 0) + (d$z > 1)], family = "binomial", lambda = 1), class = "spdhg_error")
    expect_error(spdhg(d$x, letters[1 + (d$z > 0)], lambda = 1), "takes numbers")
    expect_error(spdhg(d$x, d$z, nlambda = 3, param = list(s = 1)), "single lambda")
    expect_error(read_model(tempfile()), class = "spdhg_io_error")
    expect_error(spdhg(d$x, d$z, lambda = 0.1, max.memory = 100), class = "spdhg_memory_error")
    broken <- d$x
    broken@p[3] <- 10000L
    expect_error(spdhg(broken, d$z, lambda = 1), "broken", class = "spdhg_data_error")
    broken <- as(d$x, "CsparseMatrix")
    broken@i[5] <- 5000L
    expect_error(spdhg(broken, d$z, lambda = 1), "column 1 has an entry in row 5000", class = "spdhg_data_error")
    expect_error(spdhg(d$x, replace(d$z, 3, Inf), lambda = 1), "^y has infinite values: row 3, column 1$", class = "spdhg_data_error")
    expect_error(spdhg(d$x, d$z, penalty.factor = rep(1, 24)), "glmnet's penalty.factor is here penalty.weights", class = "spdhg_usage_error")
    expect_error(spdhg(d$x, factor(rep(1:3, 40)), family = "binomial", lambda = 1), "use family multinomial for classes")
    expect_error(spdhg(d$x, d$z, penalty = "group", lambda = 1), "a number or a name for each row of F")
    expect_error(spdhg(d$x, d$z, penalty = "group", groups = list(1:3, 3:24), lambda = 1), "each row of F, from 1 on, once")
    expect_warning(spdhg(d$x, d$z, structure = "chain", lambda = 1e-4, tol = 1e-10, epochs = 1, solver = "condat-vu"), class = "spdhg_not_converged")
    told <- function(...) tryCatch(spdhg:::tell(list(interrupted = FALSE, table = list(outcome = rep("limit", length(c(...))), gap.relative = c(...)))), warning = conditionMessage)
    expect_match(told(0.25, 0.5), "2 of 2 lambdas.*; the largest is 0.5$")
    expect_match(told(NA_real_), "1 of 1 lambdas.*; at 1 no gap is known$")
    expect_match(told(0.25, NA), "; the largest is 0.25, and at 1 no gap is known$")
})

test_that("x of any class", {
    d <- rows_and_score()
    column <- d$x[, 2, drop = FALSE]
    expect_equal(coef(spdhg(as(as.vector(column), "sparseVector"), d$z, lambda = 0.01))[2], coef(spdhg(column, d$z, lambda = 0.01))[2], tolerance = 1e-8)
})

test_that("seeds come from R only if asked", {
    d <- rows_and_score()
    set.seed(3)
    before <- .Random.seed
    one <- spdhg(d$x, d$z, lambda = 0.01, solver = "spdhg", epochs = 1)
    expect_identical(.Random.seed, before)
    expect_identical(spdhg(d$x, d$z, lambda = 0.01, solver = "spdhg", epochs = 1)$beta, one$beta)
    asked <- spdhg(d$x, d$z, lambda = 0.01, solver = "spdhg", epochs = 1, seed = NULL)
    expect_false(identical(.Random.seed, before))
    expect_false(identical(asked$beta@x, one$beta@x))
    set.seed(3)
    expect_identical(spdhg(d$x, d$z, lambda = 0.01, solver = "spdhg", epochs = 1, seed = NULL)$beta, asked$beta)
})

test_that("progress is printed", {
    d <- rows_and_score()
    expect_output(spdhg(d$x, d$z, lambda = 0.01, solver = "spdhg", epochs = 2, verbose = 1), "epoch +2 .*objective")
    expect_silent(spdhg(d$x, d$z, lambda = 0.01))
})

test_that("Ctrl-C keeps what was reached", {
    skip_on_os("windows")
    skip_on_cran()
    set.seed(1)
    x <- matrix(rnorm(4000 * 300), 4000)
    y <- rnorm(4000)
    system(paste("(sleep 1; kill -INT", Sys.getpid(), ") &"))
    expect_warning(fit <- spdhg(x, y, lambda = 1e-4, solver = "spdhg", epochs = 1e6, time = 60), class = "spdhg_interrupted")
    expect_identical(fit$outcome, "interrupted")
    expect_lt(fit$trace$seconds[nrow(fit$trace)], 30)
    expect_true(any(fit$beta != 0))
})

test_that("a dgCMatrix gives the bits of a dgRMatrix, whichever way the solver goes", {
    set.seed(4)
    x <- Matrix::rsparsematrix(300, 40, 0.2)
    y <- as.vector(x[, 1] - x[, 2]) + rnorm(300)
    by_rows <- as(x, "RsparseMatrix")
    for (with in list(list(), list(family = "binomial"), list(structure = "chain"), list(standardize = TRUE), list(lambda = 0.05),
                      list(lambda = 0.05, solver = "spdhg", epochs = 2), list(lambda = 0.05, solver = "lasso"),
                      list(lambda = 0.02, solver = "cd-newton", family = "binomial"),
                      list(lambda = 0.02, solver = "cd-newton", family = "multinomial"))) {
        target <- if (is.null(with$family)) y else if (with$family == "multinomial") cut(y, c(-Inf, -1, 1, Inf)) else y > 0
        fits <- lapply(list(x, by_rows), function(m) suppressWarnings(do.call(spdhg, c(list(m, target, nlambda = 10), with))))
        expect_identical(fits[[1]]$beta, fits[[2]]$beta)
        expect_identical(fits[[1]]$gap, fits[[2]]$gap)
    }
})
