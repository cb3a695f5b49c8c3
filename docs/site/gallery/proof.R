library(spdhg)

set.seed(2)
x <- matrix(rnorm(2000 * 40), 2000)
y <- rowSums(x[, 11:20]) + rlogis(2000) > 0

solve_with <- function(solver) suppressWarnings( # spdhg is stopped after 20 passes, short of the tolerance
    spdhg(x, y, family = "binomial", structure = "chain", lambda = 0.01, solver = solver, epochs = 20))$trace
traces <- list(spdhg = solve_with("spdhg"), auto = solve_with("auto"))

gaps <- unlist(lapply(traces, `[[`, "gap"))
plot(NULL, xlim = c(0, 20), ylim = range(gaps[gaps > 0], na.rm = TRUE), log = "y", xlab = "passes over the data", ylab = "proven gap")
for (k in 1:2) lines(gap ~ epoch, subset(traces[[k]], gap > 0), type = "b", pch = 20, col = c("steelblue", "darkorange")[k])
legend("topright", names(traces), col = c("steelblue", "darkorange"), lty = 1, bty = "n")
