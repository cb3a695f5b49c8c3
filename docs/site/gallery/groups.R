library(spdhg)

set.seed(3)
topics <- rep(0:11, each = 5)
truth <- replace(numeric(60), c(1, 2, 11, 13), c(1.5, -1, 1, 0.8))
x <- matrix(rnorm(100 * 60), 100)
y <- x %*% truth + rnorm(100)

fit <- spdhg(x, y, penalty = "group", groups = topics, also.sparse = 1, lambda = 0.18)
estimate <- coef(fit)[-1]

par(mfrow = c(2, 1), mar = c(2, 4, 1, 1))
values <- list(truth = truth, "sparse groups" = estimate)
for (title in names(values))
    barplot(values[[title]], col = ifelse(values[[title]] > 0, "steelblue", "firebrick"), border = NA, ylab = title)
