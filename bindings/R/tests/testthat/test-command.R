# The package and the command are the same program: same numbers for the same seed, to the bit.
binary <- list(
    list(list(lambda = 1e-2), c("--lambda", "1e-2")),
    list(list(structure = "chain", lambda = 0.02, also.sparse = 0.5, seed = 7), c("--structure", "chain", "--lambda", "0.02", "--also-sparse", "0.5", "--seed", "7")),
    list(list(lambda = 1e-3, solver = "spdhg", epochs = 3, batch = 4, seed = 11), c("--lambda", "1e-3", "--solver", "spdhg", "--epochs", "3", "--batch", "4", "--seed", "11")),
    list(list(lambda = 1e-3, solver = "spdhg-sc2", epochs = 3, gamma = 0.1, sampling = "shuffle", param = list(s = 0.2)),
         c("--lambda", "1e-3", "--solver", "spdhg-sc2", "--epochs", "3", "--gamma", "0.1", "--sampling", "shuffle", "--param", "s=0.2")),
    list(list(lambda = 1e-2, structure = "grid:4x6", penalty = "group", groups = "grid", standardize = TRUE, intercept = FALSE),
         c("--lambda", "1e-2", "--structure", "grid:4x6", "--penalty", "group", "--groups", "grid", "--standardize", "--no-intercept")),
    list(list(lambda = 1e-2, structure = "learned", class.weight = "balanced", set = "box:-1,1"),
         c("--lambda", "1e-2", "--structure", "learned", "--class-weight", "balanced", "--set", "box:-1,1")),
    list(list(lambda = 1e-3, family = "smooth-hinge:0.5", class.weight = c("-1" = 2), epochs = 2, solver = "saga-pd3o"),
         c("--lambda", "1e-3", "--loss", "smooth-hinge:0.5", "--class-weight", "-1=2", "--epochs", "2", "--solver", "saga-pd3o")),
    list(list(lambda = 0.1, alpha = 0.3), c("--lambda", "0.1", "--l1-ratio", "0.3")))

fit_by_command <- function(x, y, options) {
    data <- tempfile(fileext = ".svm")
    model <- tempfile(fileext = ".json")
    write_svm(data, x, y)
    command("fit", data, "-o", model, options)
    read_model(model)
}

test_that("a fit has the command's bits", {
    need_command()
    d <- rows_and_score()
    y <- ifelse(d$z > 0, 1, -1)
    for (case in binary) for (threads in c(1, 3)) {
        options <- utils::modifyList(list(x = d$x, y = y, family = "binomial", threads = threads), case[[1]])
        fit <- suppressWarnings(do.call(spdhg, options))
        other <- fit_by_command(d$x, y, case[[2]])
        expect_identical(as.vector(fit$beta), as.vector(other$beta), info = paste(case[[2]], collapse = " "))
        expect_identical(unname(fit$a0), unname(other$a0))
        expect_identical(fit$table$objective, other$table$objective)
    }
})

test_that("other losses have the command's bits", {
    need_command()
    d <- rows_and_score()
    fit <- spdhg(d$x, d$z, family = "huber:0.7", structure = "trend:1", lambda = 1e-2)
    expect_identical(as.vector(fit$beta), as.vector(fit_by_command(d$x, d$z, c("--loss", "huber:0.7", "--structure", "trend:1", "--lambda", "1e-2"))$beta))
    fit <- spdhg(as(d$x, "CsparseMatrix"), d$z, lambda = 1e-2) # by columns: the same rows
    expect_identical(as.vector(fit$beta), as.vector(fit_by_command(d$x, d$z, c("--loss", "squared", "--lambda", "1e-2"))$beta))
    classes <- findInterval(d$z, c(-0.5, 0.5)) * 10
    fit <- spdhg(d$x, classes, family = "multinomial", gamma = 0.01, lambda = 1e-3)
    other <- fit_by_command(d$x, classes, c("--loss", "softmax", "--gamma", "0.01", "--lambda", "1e-3"))
    expect_identical(lapply(unname(fit$beta), as.vector), lapply(unname(other$beta), as.vector))
    expect_identical(fit$classnames, c("0", "10", "20"))
})

test_that("weights and offsets have the command's bits", {
    need_command()
    d <- rows_and_score()
    weights <- seq_len(120) %% 3 + 0.5
    offset <- seq_len(120) / 64
    files <- c(tempfile(), tempfile())
    writeLines(as.character(weights), files[1])
    writeLines(format(offset, digits = 17), files[2])
    fit <- spdhg(d$x, d$z, lambda = 1e-2, weights = weights, offset = offset)
    expect_identical(as.vector(fit$beta), as.vector(fit_by_command(d$x, d$z, c("--loss", "squared", "--lambda", "1e-2", "--weights", files[1], "--offset", files[2]))$beta))
})

test_that("a path and its folds have the command's bits", {
    need_command()
    d <- rows_and_score()
    data <- tempfile(fileext = ".svm")
    table <- tempfile(fileext = ".csv")
    write_svm(data, d$x, d$z)
    command("path", data, "--loss", "squared", "--structure", "chain", "--lambdas", "10", "--folds", "3", "--seed", "5", "-o", tempfile(), "--path", table)
    lines <- utils::read.csv(table)
    cv <- cv.spdhg(d$x, d$z, structure = "chain", nlambda = 10, nfolds = 3, seed = 5)
    expect_identical(cv$lambda, lines$lambda)
    expect_equal(cv$cvm, 2 * lines$cv_loss, tolerance = 1e-12)
    expect_equal(cv$cvsd, 2 * lines$cv_loss_error, tolerance = 1e-10)
    expect_identical(cv$spdhg.fit$table$objective, lines$objective)
})

test_that("models go both ways", {
    need_command()
    d <- rows_and_score()
    y <- factor(ifelse(d$z > 0, "yes", "no"))
    fit <- spdhg(d$x, y, family = "binomial", structure = "chain", lambda = 1e-2)
    model <- tempfile(fileext = ".json")
    write_model(fit, model)
    back <- read_model(model)
    expect_identical(as.vector(back$beta), as.vector(fit$beta))
    expect_identical(back$classnames, c("no", "yes"))
    data <- tempfile(fileext = ".svm")
    write_svm(data, d$x, rep(0, 120))
    told <- utils::read.csv(text = command("predict", model, data))
    expect_identical(told[[1]], as.vector(predict(fit, d$x, type = "class")))
})

test_that("every option of the command has its parameter", {
    need_command()
    elsewhere <- c("no-intercept", "format", "label", "targets", "names", "features", "duplicates", "hash", "on-disk", "block", "output", "test", "no-label", "columns", "drop", "id", "categorical",
                   "ordered", "reference", "missing", "unseen", "header", "no-header", "force", "test-fraction", "trace", "report", "certificate", "truth", "bound", "json",
                   "quiet", "path", "coefficients", "help", "usage", "version", "rule", "choose", "noise", "checkpoint", "checkpoint-every", "resume")
    known <- c(names(formals(spdhg:::spdhg.default)), names(formals(spdhg:::cv.spdhg.default)))
    for (verb in c("fit", "path")) {
        words <- unlist(regmatches(text <- command("help", verb), gregexpr("(?<=--)[a-z][a-z0-9-]+", text, perl = TRUE)))
        lines <- grep("^ .*--[a-z]", text, value = TRUE)
        options <- setdiff(sub("^ .*?--([a-z][a-z0-9-]+).*$", "\\1", lines, perl = TRUE), elsewhere)
        options <- options[options %in% names(spdhg:::option_names)]
        expect_gt(length(options), 12)
        for (option in options) expect_true(spdhg:::option_names[[option]] %in% known, info = option)
    }
    expect_identical(formals(spdhg:::spdhg.default)$gamma, 0)
})

test_that("every parameter is used", { # signatures are made from the tables, so a new option would be taken and ignored
    space <- asNamespace("spdhg")
    made <- c("spdhg.default", "cv.spdhg.default", "denoise", "learn_graph")
    own <- setdiff(Filter(function(name) is.function(get(name, space)), ls(space)), made)
    code <- paste(unlist(lapply(own, function(name) deparse(get(name, space)))), collapse = "\n")
    for (name in unique(unlist(lapply(made, function(f) names(formals(get(f, space)))))))
        if (!(name %in% c("x", "y", "..."))) expect_true(grepl(paste0("p$", name), code, fixed = TRUE) || grepl(paste0("\"", name, "\""), code, fixed = TRUE) ||
                                                       name %in% c("positions", "weights"), info = name)
})
