# What can be asked of a fit, against its definition.
fit_of <- function(...) {
    d <- rows_and_score()
    list(d = d, fit = spdhg(d$x, d$z, ...))
}

test_that("coefficients and predictions", {
    with(fit_of(lambda = c(0.2, 0.1)), {
        full <- coef(fit)
        expect_identical(dim(full), c(25L, 2L))
        eta <- predict(fit, d$x)
        expect_equal(unname(eta), unname(as.matrix(cbind(1, as.matrix(d$x)) %*% as.matrix(full))))
        expect_equal(as.vector(coef(fit, s = 0.15)), as.vector((full[, 1] + full[, 2]) / 2))
        expect_equal(as.vector(coef(fit, s = 5)), as.vector(full[, 1]))
        expect_identical(predict(fit, type = "nonzero")[[2]], unname(which(as.vector(full[-1, 2]) != 0)))
        table <- coef_table(fit, s = 0.1)
        expect_equal(table$value, as.vector(full[, 2]))
        expect_identical(predict(fit, type = "coefficients"), full)
        expect_error(predict(fit), "newx")
        expect_error(predict(fit, d$x[, 1:3]), "3 columns")
    })
})

test_that("residuals, deviance and likelihood", {
    with(fit_of(lambda = c(0.2, 0.1)), {
        r <- residuals(fit)
        expect_equal(unname(r), d$z - unname(predict(fit, d$x)))
        expect_equal(deviance(fit), unname(colSums(r^2)))
        expect_equal(residuals(fit, type = "deviance"), r)
        expect_equal(nobs(fit), 120)
        l <- logLik(fit)
        sigma <- sqrt(colMeans(r^2))
        expect_equal(as.vector(l), vapply(1:2, function(i) sum(dnorm(r[, i], 0, sigma[i], log = TRUE)), 0))
        expect_equal(attr(l, "df"), fit$df + 2)
        expect_equal(AIC(fit), -2 * as.vector(l) + 2 * attr(l, "df"))
        expect_equal(BIC(fit), -2 * as.vector(l) + log(120) * attr(l, "df"))
    })
    d <- rows_and_score()
    y <- d$z > 0
    fit <- spdhg(d$x, y, family = "binomial", lambda = c(0.05, 0.02))
    p <- predict(fit, d$x, type = "response")
    expect_equal(as.vector(logLik(fit)), unname(colSums(log(y * p + (1 - y) * (1 - p)))))
    expect_equal(unname(colSums(residuals(fit, type = "deviance")^2)), deviance(fit))
    counts <- round(exp(d$z / 2))
    fit <- spdhg(d$x, counts, family = "poisson", lambda = c(0.2, 0.1))
    expect_equal(as.vector(logLik(fit)), unname(colSums(dpois(counts, predict(fit, d$x, type = "response"), log = TRUE))))
    expect_equal(unname(colSums(residuals(fit, type = "deviance")^2)), deviance(fit))
    expect_error(logLik(spdhg(d$x, d$z, family = "huber", lambda = 0.1)), "no likelihood")
})

test_that("degrees of freedom of a chain are its levels", {
    with(fit_of(structure = "chain", nlambda = 8, choose = "bic"), {
        levels <- apply(as.matrix(fit$beta), 2, function(b) length(unique(round(b, 9))))
        expect_equal(unname(levels), fit$table$degrees)
        expect_equal(fit$lambda.chosen, fit$lambda[which.min(fit$table$bic)])
        expect_equal(which.min(BIC(fit)), which.min(fit$table$bic))
        expect_output(print(fit), "chosen by bic")
    })
})

test_that("classes and several outputs", {
    d <- rows_and_score()
    y <- factor(c("low", "middle", "high")[findInterval(d$z, c(-0.5, 0.5)) + 1], levels = c("low", "middle", "high"))
    fit <- spdhg(d$x, y, family = "multinomial", lambda = c(0.1, 0.02))
    expect_identical(names(coef(fit)), levels(y))
    p <- predict(fit, d$x, type = "response")
    expect_equal(unname(apply(p, c(1, 3), sum)), matrix(1, 120, 2))
    expect_equal(as.vector(logLik(fit)), unname(apply(p, 3, function(q) sum(log(q[cbind(1:120, as.integer(y))])))))
    expect_gt(mean(predict(fit, d$x, type = "class")[, 2] == y), 0.6)
    expect_identical(unique(coef_table(fit)$output), levels(y))
    two <- spdhg(d$x, factor(y == "low"), family = "hinge", lambda = 0.05)
    expect_true(all(predict(two, d$x, type = "class") %in% c("FALSE", "TRUE")))
})

test_that("print, summary and pictures", {
    pdf(NULL)
    on.exit(dev.off())
    d <- rows_and_score()
    for (structure in list("identity", "chain", "trend:1", c(4, 6), cbind(1:23, 2:24))) {
        fit <- spdhg(d$x, d$z, structure = structure, nlambda = 6)
        expect_output(print(fit), "Lambda")
        expect_output(print(summary(fit)), "proven to the tolerance")
        for (xvar in c("lambda", "norm", "dev")) expect_identical(plot(fit, xvar = xvar, label = TRUE), fit)
        expect_identical(plot(fit, what = "coefficients", s = fit$lambda[3]), fit)
    }
    expect_error(plot(fit, what = "coefficients"), "which lambda")
    expect_output(print(summary(cv.spdhg(d$x, d$z, nlambda = 6, nfolds = 3))), "1se.*proven to the tolerance")
    expect_output(print(trendfilter(d$z, ord = 1, lambda = 10)), "values at lambda 10; largest")
    multi <- spdhg(d$x, findInterval(d$z, c(-0.5, 0.5)), family = "multinomial", nlambda = 5)
    expect_identical(plot(multi, output = 2), multi)
    for (at in list(log(fit$lambda), colSums(abs(fit$beta)))) # the axis above a path counts what is nonzero there
        expect_equal(spdhg:::counts_at(at, fit$df, at), fit$df)
    set.seed(1)
    alone <- learn_graph(matrix(rnorm(60), 20), rho = 10)
    expect_identical(nrow(alone$edges), 0L)
    expect_identical(plot(alone), alone)
})

test_that("a proof can be written", {
    with(fit_of(structure = "chain", lambda = 0.05), {
        file <- tempfile(fileext = ".json")
        said <- certificate(fit, file)
        expect_lt(said$gap.relative, 1e-6)
        expect_match(readLines(file, n = 3, warn = FALSE), "certificate|spdhg", all = FALSE)
    })
    d <- rows_and_score()
    expect_error(certificate(spdhg(d$x, d$z, lambda = 0.1, keep.data = FALSE), tempfile()), "keep.data")
})
