library(spdhg)

set.seed(1)
truth <- rep(c(0, 0.6, 0, -1, 0), c(60, 50, 60, 20, 50))
noisy <- truth + 0.25 * rnorm(240)

answer <- denoise(noisy, structure = "chain")     # lambda by cross-validation
levels <- answer$x

plot(noisy, col = "gray60", pch = 20, xlab = "", ylab = "",
     main = sprintf("%d levels, proven within %.0e", sum(diff(levels) != 0) + 1, answer$gap))
lines(truth, col = "gray30")
lines(levels, col = "steelblue", lwd = 2)
