library(spdhg)

set.seed(3)
t <- seq(0, 1, length.out = 200)
truth <- approx(c(0, 0.3, 0.65, 1), c(0, 3, 1, 3.5), t)$y
noisy <- truth + 0.4 * rnorm(200)

plot(t, noisy, col = "gray70", pch = 20, ylab = "")
for (order in 1:2)
    lines(t, denoise(noisy, structure = paste0("trend:", order))$x, col = c("steelblue", "darkorange")[order], lwd = 2)
lines(t, truth, lty = 2)
