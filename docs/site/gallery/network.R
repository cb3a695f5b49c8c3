library(spdhg)

set.seed(1)
modules <- 8; size <- 10; rows <- 160
truth <- rep(c(0.4, -0.4, 0), c(size, size, (modules - 2) * size))
drivers <- matrix(rnorm(rows * modules), rows)
x <- 0.7 * drivers[, rep(1:modules, each = size)] + 0.7 * matrix(rnorm(rows * modules * size), rows)
y <- x %*% truth + rlogis(rows) > 0
first <- rep((1:modules - 1) * size + 1, each = size - 1)
network <- cbind(first, first + rep(1:(size - 1), modules))   # each module is a star

plain <- cv.spdhg(x, y, family = "binomial", nfolds = 3, nlambda = 12)
guided <- cv.spdhg(x, y, family = "binomial", structure = network, sparsities = c(0.2, 1), nfolds = 3, nlambda = 12)

par(mfrow = c(3, 1), mar = c(2, 4, 1, 1))
values <- list(truth = truth, lasso = coef(plain, s = "lambda.min")[-1], network = coef(guided, s = "lambda.min")[-1])
for (title in names(values))
    barplot(values[[title]], col = ifelse(values[[title]] > 0, "steelblue", "firebrick"), border = NA, ylab = title)
