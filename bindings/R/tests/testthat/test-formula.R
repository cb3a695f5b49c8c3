# Formulas: factors become levels that are fused, as the command's --structure categories does.
frame <- function() {
    set.seed(4)
    d <- data.frame(size = factor(sample(c("s", "m", "l", "xl"), 150, TRUE), levels = c("s", "m", "l", "xl"), ordered = TRUE),
                    city = factor(sample(c("rome", "oslo", "bern"), 150, TRUE)), age = round(rnorm(150), 2), w = rep(1:2, 75))
    d$y <- round((as.integer(d$size) > 2) + 0.5 * (d$city == "oslo") + 0.3 * d$age + 0.1 * rnorm(150), 3)
    d
}

test_that("levels are fused", {
    d <- frame()
    fit <- spdhg(y ~ size + city + age, d, lambda = 0.03, tol = 1e-12)
    expect_identical(rownames(fit$beta), c("sizem", "sizel", "sizexl", "cityoslo", "cityrome", "age"))
    b <- as.vector(fit$beta)
    expect_equal(b[2], b[3])
    # by hand: x, F and the default method
    x <- cbind(d$size == "m", d$size == "l", d$size == "xl", d$city == "oslo", d$city == "rome", d$age) * 1
    F <- rbind(c(1, 0, 0, 0, 0, 0), c(-1, 1, 0, 0, 0, 0), c(0, -1, 1, 0, 0, 0), c(0, 0, 0, 1, 0, 0), c(0, 0, 0, 0, 1, 0), c(0, 0, 0, -1, 1, 0), c(0, 0, 0, 0, 0, 1))
    hand <- spdhg(x, d$y, structure = as(as(F, "generalMatrix"), "CsparseMatrix"), lambda = 0.03, tol = 1e-12)
    expect_equal(b, as.vector(hand$beta), tolerance = 1e-7)
    expect_equal(as.vector(predict(fit, d[1:5, ])), as.vector(predict(hand, x[1:5, ])), tolerance = 1e-7)
    expect_equal(predict(fit, newdata = d[1:5, ]), predict(fit, d[1:5, ]))
    expect_error(predict(fit, data.frame(size = "huge", city = "rome", age = 1)), "huge", class = "spdhg_data_error")
    expect_error(predict(fit, data.frame(size = d$size[1], age = 1)), "city", class = "spdhg_data_error")
})

test_that("the command fits the same", {
    need_command()
    d <- frame()
    file <- tempfile(fileext = ".csv")
    model <- tempfile(fileext = ".json")
    write.csv(d[c("size", "city", "age", "y")], file, row.names = FALSE, quote = FALSE)
    command("fit", file, "--loss", "squared", "--ordered", "size=s<m<l<xl", "--structure", "categories", "--lambda", "0.03", "--tol", "1e-12", "-o", model)
    expect_equal(as.vector(read_model(model)$beta), as.vector(spdhg(y ~ size + city + age, d, lambda = 0.03, tol = 1e-12)$beta), tolerance = 1e-7)
})

test_that("weights, offsets, subsets, interactions, no intercept", {
    d <- frame()
    fit <- spdhg(y ~ age + offset(w / 10), d, weights = w, lambda = 0.01, subset = size != "s")
    keep <- d$size != "s"
    hand <- spdhg(cbind(age = d$age[keep]), d$y[keep], weights = d$w[keep], offset = d$w[keep] / 10, lambda = 0.01)
    expect_equal(fit$beta, hand$beta)
    expect_equal(unname(spdhg(y ~ 0 + age, d, lambda = 0.01)$a0), 0)
    expect_identical(rownames(spdhg(y ~ age + age:w + log(w), d, lambda = 0.01)$beta), c("age", "log(w)", "age:w"))
    cv <- cv.spdhg(y ~ size + age, d, nlambda = 6)
    expect_identical(dim(predict(cv, d[1:2, ])), c(2L, 1L))
    two <- spdhg(city == "oslo" ~ size + age, d, family = binomial, lambda = 0.01)
    expect_identical(two$family, "binomial")
})

test_that("the call is the user's, and can be updated", {
    d <- frame()
    fit <- spdhg(y ~ size + age, d, lambda = 0.03)
    expect_identical(fit$call[[1]], quote(spdhg))
    expect_equal(coef(update(fit, lambda = 0.1)), coef(spdhg(y ~ size + age, d, lambda = 0.1)))
    expect_identical(cv.spdhg(y ~ size + age, d, nlambda = 5)$call[[1]], quote(cv.spdhg))
})
