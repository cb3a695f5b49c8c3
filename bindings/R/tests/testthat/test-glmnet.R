# glmnet's own examples at the same lambdas, to 1e-6, and its cross-validation with the same folds.
skip_if_not_installed("glmnet")
example <- function(name, first) {
    e <- new.env()
    data(list = name, package = "glmnet", envir = e)
    e
}

near <- function(mine, theirs, what) expect_lt(max(abs(as.matrix(mine) - as.matrix(theirs))), 1e-6, label = what)

test_that("QuickStart", {
    e <- example("QuickStartExample")$QuickStartExample
    g <- glmnet::glmnet(e$x, e$y, thresh = 1e-16)
    f <- spdhg(e$x, e$y, standardize = TRUE, lambda = g$lambda, tol = 1e-12)
    near(coef(f), coef(g), "coefficients")
    expect_equal(f$dev.ratio, g$dev.ratio, tolerance = 1e-8)
    expect_equal(f$nulldev, g$nulldev)
    expect_equal(deviance(f), deviance(g), tolerance = 1e-8)
    own <- spdhg(e$x, e$y, standardize = TRUE)
    expect_equal(own$lambda[1:50], g$lambda[1:50], tolerance = 1e-5)
    near(predict(f, e$x[1:5, ], s = c(0.1, 0.05)), predict(g, e$x[1:5, ], s = c(0.1, 0.05)), "predictions between lambdas")
    foldid <- rep(1:10, length.out = 100)
    theirs <- glmnet::cv.glmnet(e$x, e$y, foldid = foldid, lambda = g$lambda, thresh = 1e-16)
    mine <- cv.spdhg(e$x, e$y, standardize = TRUE, foldid = foldid, lambda = g$lambda, tol = 1e-10)
    expect_identical(mine$index[, 1], theirs$index[, 1])
    expect_equal(c(mine$lambda.min, mine$lambda.1se), c(theirs$lambda.min, theirs$lambda.1se))
    expect_equal(mine$cvm, unname(theirs$cvm), tolerance = 1e-6)
    expect_equal(mine$cvsd, unname(theirs$cvsd), tolerance = 1e-6)
    expect_equal(mine$foldid, foldid)
})

test_that("binomial", {
    e <- example("BinomialExample")$BinomialExample
    g <- glmnet::glmnet(e$x, e$y, family = "binomial", thresh = 1e-20, maxit = 1e7) # its usual thresh leaves 0.1 in a coefficient of 10
    f <- suppressWarnings(spdhg(e$x, e$y, family = "binomial", standardize = TRUE, lambda = g$lambda, tol = 1e-13))
    size <- pmax(1, apply(abs(as.matrix(coef(g))), 2, max)) # near separation coefficients grow
    expect_lt(max(sweep(abs(as.matrix(coef(f) - coef(g))), 2, size, "/")), 1e-6)
    deviation <- sqrt(colMeans(sweep(e$x, 2, colMeans(e$x))^2))
    objective <- function(fit) { # by its definition: never above glmnet's, whatever its thresh
        eta <- as.matrix(cbind(1, e$x) %*% coef(fit))
        colMeans(log1p(exp(-abs(eta))) + pmax(eta, 0) - as.vector(e$y) * eta) + g$lambda * colSums(abs(as.matrix(fit$beta)) * deviation)
    }
    usual <- glmnet::glmnet(e$x, e$y, family = "binomial", lambda = g$lambda)
    expect_lt(max(objective(f) - objective(g)), 1e-12)
    expect_lt(max(objective(f) - objective(usual)), 1e-12)
    near(predict(f, e$x[1:5, ], type = "response"), predict(g, e$x[1:5, ], type = "response"), "probabilities")
    expect_identical(unname(predict(f, e$x, type = "class")), unname(predict(g, e$x, type = "class")))
    foldid <- rep(1:10, length.out = 100)
    for (measure in c("deviance", "class", "auc", "mae", "mse")) {
        theirs <- suppressWarnings(glmnet::cv.glmnet(e$x, e$y, family = "binomial", foldid = foldid, lambda = g$lambda, type.measure = measure, thresh = 1e-16))
        mine <- suppressWarnings(cv.spdhg(e$x, e$y, family = "binomial", standardize = TRUE, foldid = foldid, lambda = g$lambda, type.measure = measure, tol = 1e-10))
        expect_identical(mine$index[, 1], theirs$index[, 1], info = measure)
        expect_equal(mine$cvm, unname(theirs$cvm), tolerance = 1e-5, info = measure)
        expect_equal(mine$cvsd, unname(theirs$cvsd), tolerance = 1e-5, info = measure)
    }
})

test_that("multinomial", {
    e <- example("MultinomialExample")$MultinomialExample
    g <- glmnet::glmnet(e$x, e$y, family = "multinomial", thresh = 1e-16, lambda = exp(seq(log(0.15), log(0.01), length.out = 8)))
    f <- spdhg(e$x, e$y, family = "multinomial", standardize = TRUE, lambda = g$lambda, tol = 1e-11)
    for (k in 1:3) near(f$beta[[k]], g$beta[[k]], "coefficients")
    near(sweep(f$a0, 2, colMeans(f$a0)), g$a0, "intercepts")
    foldid <- rep(1:5, length.out = nrow(e$x))
    for (measure in c("deviance", "class")) {
        theirs <- glmnet::cv.glmnet(e$x, e$y, family = "multinomial", foldid = foldid, lambda = g$lambda, thresh = 1e-14, type.measure = measure)
        mine <- cv.spdhg(e$x, e$y, family = "multinomial", standardize = TRUE, foldid = foldid, lambda = g$lambda, type.measure = measure)
        expect_identical(mine$index[, 1], theirs$index[, 1], info = measure)
        expect_equal(mine$cvm, unname(theirs$cvm), tolerance = 1e-4, info = measure)
    }
})

test_that("poisson", {
    e <- example("PoissonExample")$PoissonExample
    g <- glmnet::glmnet(e$x, e$y, family = "poisson", thresh = 1e-16)
    f <- spdhg(e$x, e$y, family = "poisson", standardize = TRUE, lambda = g$lambda, tol = 1e-12)
    near(coef(f), coef(g), "coefficients")
    expect_equal(f$dev.ratio, g$dev.ratio, tolerance = 1e-8)
    foldid <- rep(1:10, length.out = nrow(e$x))
    theirs <- glmnet::cv.glmnet(e$x, e$y, family = "poisson", foldid = foldid, lambda = g$lambda, thresh = 1e-16)
    mine <- cv.spdhg(e$x, e$y, family = "poisson", standardize = TRUE, foldid = foldid, lambda = g$lambda, tol = 1e-10)
    expect_identical(mine$index[, 1], theirs$index[, 1])
    expect_equal(mine$cvm, unname(theirs$cvm), tolerance = 1e-5)
})

test_that("weights, offsets and the elastic net", {
    e <- example("BinomialExample")$BinomialExample
    w <- seq_len(100) %% 3 + 1
    o <- seq_len(100) / 100
    g <- glmnet::glmnet(e$x, e$y, family = "binomial", weights = w, offset = o, alpha = 0.4, thresh = 1e-16, lambda = c(0.2, 0.1, 0.05))
    f <- spdhg(e$x, e$y, family = "binomial", weights = w, offset = o, alpha = 0.4, standardize = TRUE, lambda = g$lambda, tol = 1e-12)
    near(coef(f), coef(g), "coefficients")
    expect_equal(deviance(f), deviance(g), tolerance = 1e-6)
    near(predict(f, e$x[1:3, ], newoffset = o[1:3]), predict(g, e$x[1:3, ], newoffset = o[1:3]), "predictions")
    expect_error(predict(f, e$x[1:3, ]), "newoffset")
})
