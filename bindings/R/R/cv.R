# cv.R - cross-validation with the conventions of glmnet: cvm, cvsd, lambda.min, lambda.1se.

MEASURES <- list(gaussian = c("deviance", "mse", "mae"), binomial = c("deviance", "class", "auc", "mse", "mae"),
                 multinomial = c("deviance", "class", "mse", "mae"), poisson = c("deviance", "mse", "mae"))
MEASURE_NAMES <- c(mse = "Mean-Squared Error", mae = "Mean Absolute Error", class = "Misclassification Error", auc = "AUC", deviance = "Deviance", loss = "Loss")
SMALLEST <- 1e-5 # probabilities are kept this far from 0 and 1, as in glmnet

# Scores of the rows by the fold that holds them out: rows x outputs x lambdas.
held_out_scores <- function(with, found, repeat_, nfolds, offset) {
    fold <- found$held.out[, repeat_] + 1L
    lambdas <- length(found$table$lambda)
    outputs <- found$view$outputs
    eta <- array(NA_real_, c(nrow(with$x), outputs, lambdas))
    for (f in seq_len(nfolds)) {
        rows <- which(fold == f)
        part <- found$folds[[(repeat_ - 1) * nfolds + f]]
        for (k in seq_len(outputs)) eta[rows, k, ] <- times(with$x, part$beta[[k]], rows) + rep(part$a0[k, ], each = length(rows))
    }
    if (!is.null(offset)) eta <- eta + as.double(offset)
    eta
}

clamp <- function(p) pmin(pmax(p, SMALLEST), 1 - SMALLEST)

# What each held-out row costs: rows x lambdas.
row_costs <- function(with, eta, measure) {
    b <- with$y$b
    many <- dim(eta)[2] > 1
    flat <- if (!many) matrix(eta, dim(eta)[1])
    family <- with$family$name
    if (family %in% c("gaussian", "mgaussian")) {
        error <- if (many) array(matrix(b, ncol = dim(eta)[2], byrow = TRUE), dim(eta)) - eta else array(b - flat, dim(eta))
        return(apply(if (measure == "mae") abs(error) else error^2, c(1, 3), sum))
    }
    if (family == "poisson")
        return(switch(measure, mse = (b - exp(flat))^2, mae = abs(b - exp(flat)), 2 * (ifelse(b > 0, b * log(pmax(b, 1e-300)) - b, 0) - (b * flat - exp(flat)))))
    if (family == "binomial") {
        p <- clamp(stats::plogis(flat))
        return(switch(measure, class = (flat > 0) != (b > 0) & !(flat == 0 & b == 0), mse = 2 * (b - stats::plogis(flat))^2,
                      mae = 2 * abs(b - stats::plogis(flat)), -2 * (b * log(p) + (1 - b) * log(1 - p))) * 1)
    }
    p <- softmax(eta)
    is <- outer(b, seq_len(dim(eta)[2]) - 1, "==") * 1
    if (measure == "class") return(apply(eta, c(1, 3), which.max) - 1 != b)
    if (measure == "mse") return(apply((array(is, dim(p)) - p)^2, c(1, 3), sum))
    if (measure == "mae") return(apply(abs(array(is, dim(p)) - p), c(1, 3), sum))
    apply(-2 * array(is, dim(p)) * log(clamp(p)), c(1, 3), sum)
}

# Area under the ROC curve with weights; ties count half.
auc_of <- function(y, score, w) {
    order <- order(score)
    score <- score[order]
    up <- (w * y)[order]
    down <- (w * (1 - y))[order]
    group <- match(score, unique(score))
    ups <- rowsum(up, group)[, 1]
    downs <- rowsum(down, group)[, 1]
    sum(ups * (cumsum(downs) - downs / 2)) / (sum(up) * sum(down))
}

# Mean and standard error as in glmnet: over folds (grouped), each by its weight, or over rows.
spread <- function(cost, weight) {
    mean <- apply(cost, 2, weighted.mean, w = weight, na.rm = TRUE)
    error <- sqrt(apply(sweep(cost, 2, mean)^2, 2, weighted.mean, w = weight, na.rm = TRUE) / (colSums(!is.na(cost)) - 1))
    list(cvm = mean, cvsd = error)
}

by_fold <- function(cost, weight, fold) {
    total <- rowsum(weight, fold)[, 1]
    list(cost = rowsum(cost * weight, fold) / total, weight = total)
}

measure_of <- function(p, family, rows) {
    known <- if (family$name == "mgaussian") MEASURES$gaussian else MEASURES[[family$name]]
    if (is.null(known)) {
        if (p$type.measure != "default") wrong("type.measure: family ", family$name, " has the loss alone, which is the default")
        return("loss")
    }
    measure <- if (p$type.measure == "default") "deviance" else choice(p, "type.measure", known)
    if (measure == "auc" && rows / p$nfolds < 10) {
        warn("measure", "too few rows in a fold for auc: deviance is used")
        measure <- "deviance"
    }
    if (family$name %in% c("gaussian", "mgaussian") && measure == "deviance") "mse" else measure
}

judge <- function(with, found, p, measure) {
    rows <- nrow(with$x)
    weight <- if (is.null(p$weights)) rep(1, rows) else as.double(p$weights)
    repeats <- ncol(found$held.out)
    each <- lapply(seq_len(repeats), function(r) {
        fold <- found$held.out[, r] + 1L
        if (measure == "loss") {
            lines <- (r - 1) * p$nfolds + seq_len(p$nfolds)
            points <- ncol(found$scores) - 1
            return(c(spread(found$scores[lines, seq_len(points), drop = FALSE], found$scores[lines, points + 1]), list(eta = NULL)))
        }
        eta <- held_out_scores(with, found, r, p$nfolds, p$offset)
        if (measure == "auc") {
            flat <- stats::plogis(matrix(eta, rows)) # probabilities that are rounded alike are ties
            cost <- t(vapply(seq_len(p$nfolds), function(f) apply(flat[fold == f, , drop = FALSE], 2, auc_of, y = with$y$b[fold == f], w = weight[fold == f]),
                             numeric(ncol(flat))))
            return(c(spread(cost, rowsum(weight, fold)[, 1]), list(eta = eta)))
        }
        cost <- row_costs(with, eta, measure)
        grouped <- if (p$grouped && rows / p$nfolds >= 3) by_fold(cost, weight, fold) else list(cost = cost, weight = weight)
        c(spread(grouped$cost, grouped$weight), list(eta = eta))
    })
    list(cvm = rowMeans(matrix(unlist(lapply(each, `[[`, "cvm")), ncol = repeats)), cvsd = rowMeans(matrix(unlist(lapply(each, `[[`, "cvsd")), ncol = repeats)),
         eta = each[[1]]$eta)
}

chosen_lambdas <- function(lambda, cvm, cvsd, larger_is_better) {
    cost <- if (larger_is_better) -cvm else cvm
    best <- min(cost, na.rm = TRUE)
    lambda.min <- max(lambda[which(cost <= best)])
    at <- match(lambda.min, lambda)
    limit <- cost[at] + cvsd[at]
    lambda.1se <- if (is.na(limit)) lambda.min else max(lambda[which(cost <= limit)])
    list(lambda.min = lambda.min, lambda.1se = lambda.1se, index = matrix(match(c(lambda.min, lambda.1se), lambda), dimnames = list(c("min", "1se"), "Lambda")))
}

fold_options <- function(p, rows) {
    foldid <- p$foldid
    if (!is.null(foldid)) {
        if (length(foldid) != rows || anyNA(foldid)) wrong("foldid: a fold for each of the ", rows, " rows")
        foldid <- match(foldid, sort(unique(foldid))) - 1
        p$nfolds <- max(foldid) + 1
    }
    if (number(p, "nfolds") < 3) wrong("nfolds: at least 3, as in glmnet")
    groups <- p$fold.groups
    if (!is.null(groups)) groups <- match(groups, unique(groups))
    list(nfolds = p$nfolds, foldid = foldid, fold.groups = groups, repeats = number(p, "repeats", 1))
}

# One path for each of gammas and sparsities: the one with the best cvm.
best_of <- function(x, y, p, call) {
    tried <- list()
    for (gamma in if (is.null(p$gammas)) p$gamma else p$gammas)
        for (share in if (is.null(p$sparsities)) list(p$also.sparse) else as.list(p$sparsities)) {
            own <- p
            own["gammas"] <- own["sparsities"] <- list(NULL)
            own$gamma <- gamma
            own["also.sparse"] <- list(share)
            tried <- c(tried, list(cross_validate(x, y, own, call)))
        }
    value <- vapply(tried, function(one) min(if (one$larger) -one$cvm else one$cvm, na.rm = TRUE), 0)
    tried[[which.min(value)]]
}

cross_validate <- function(x, y, p, call) {
    if (!is.null(p$gammas) || !is.null(p$sparsities)) return(best_of(x, y, p, call))
    call[[1]] <- quote(cv.spdhg)
    given <- list(x = x, y = y)
    with <- take(x, y, p)
    p$lambda <- lambdas_of(p$lambda)
    if (length(p$lambda) == 1) wrong("lambda: several of them are needed to choose one")
    folds <- fold_options(p, nrow(with$x))
    p$nfolds <- folds$nfolds
    measure <- measure_of(p, with$family, nrow(with$x))
    found <- walk_path(with, p, folds)
    fit <- make_fit(found, with, p, call, given)
    if (length(found$folds) == 0) {
        warn("interrupted", "stopped before the cross-validation: the path is returned")
        return(fit)
    }
    cv <- judge(with, found, p, measure)
    choice <- chosen_lambdas(fit$lambda, cv$cvm, cv$cvsd, measure == "auc")
    foldid <- found$held.out + 1L
    out <- list(lambda = fit$lambda, cvm = cv$cvm, cvsd = cv$cvsd, cvup = cv$cvm + cv$cvsd, cvlo = cv$cvm - cv$cvsd, nzero = stats::setNames(fit$df, names(fit$a0)),
                call = call, name = stats::setNames(MEASURE_NAMES[[measure]], measure), spdhg.fit = fit, foldid = if (ncol(foldid) == 1) foldid[, 1] else foldid,
                lambda.min = choice$lambda.min, lambda.1se = choice$lambda.1se, index = choice$index, larger = measure == "auc")
    if (isTRUE(p$keep)) out$fit.preval <- if (dim(cv$eta)[2] == 1) matrix(cv$eta, nrow(with$x)) else cv$eta
    class(out) <- "cv.spdhg"
    out
}

lambda_of <- function(object, s) {
    if (is.numeric(s)) return(s)
    if (!is.character(s) || !(s[1] %in% c("lambda.1se", "lambda.min"))) wrong("s is neither a number nor \"lambda.1se\" or \"lambda.min\"")
    object[[s[1]]]
}

coef.cv.spdhg <- function(object, s = c("lambda.1se", "lambda.min"), ...) coef.spdhg(object$spdhg.fit, lambda_of(object, s), ...)
predict.cv.spdhg <- function(object, newx, s = c("lambda.1se", "lambda.min"), ...) predict.spdhg(object$spdhg.fit, newx, lambda_of(object, s), ...)

# The two choices, then the path on all rows.
summary.cv.spdhg <- function(object, ...) structure(list(cv = object, fit = summary(object$spdhg.fit)), class = "summary.cv.spdhg")
print.summary.cv.spdhg <- function(x, ...) {
    print(x$cv)
    print(x$fit, ...)
    invisible(x)
}

print.cv.spdhg <- function(x, digits = max(3, getOption("digits") - 3), ...) {
    cat("\nCall: ", deparse1(x$call), "\n\nMeasure:", x$name, "\n\n")
    at <- as.vector(x$index)
    print(data.frame(Lambda = signif(x$lambda[at], digits), Index = at, Measure = signif(x$cvm[at], digits), SE = signif(x$cvsd[at], digits),
                     Nonzero = unname(x$nzero[at]), row.names = c("min", "1se")), ...)
    invisible(x)
}
