library(spdhg)

set.seed(7)
truth <- rep(c(0, 0.5, 0, -0.4, 0), c(10, 12, 14, 8, 16))
x <- matrix(rnorm(300 * 60), 300)
y <- x %*% truth + rnorm(300)

cv <- cv.spdhg(x, y, structure = "chain", nfolds = 5, nlambda = 30)

par(mfrow = c(1, 2), mar = c(4, 4, 3, 1))
plot(cv)
plot(truth, type = "s", col = "gray50", xlab = "wavelength", ylab = "")
lines(coef(cv)[-1], type = "s", col = "steelblue", lwd = 2)
