library(spdhg)

set.seed(5)
rows <- row(diag(64)); columns <- col(diag(64))
clean <- 0.2 + 0.6 * ((rows - 29)^2 + (columns - 25)^2 < 260) + 0.35 * (columns > 41 & rows > 31)
noisy <- clean + 0.25 * rnorm(64 * 64)

answer <- denoise(noisy, structure = "grid", lambda = 6e-5, isotropic = TRUE)

par(mfrow = c(1, 3), mar = c(1, 1, 2, 1))
pictures <- list(truth = clean, data = noisy, "total variation" = answer$x)
for (title in names(pictures))
    image(t(pmin(pmax(pictures[[title]][64:1, ], 0), 1.2)), col = gray.colors(99, 0, 1), zlim = c(0, 1.2), axes = FALSE, asp = 1, main = title)
