# problem.R - the parameters of a fit as a problem of the library:
#     mean_i loss(a_i'x + c + o_i, b_i) + (gamma/2)||x||^2 + lambda r(F x) [+ also.sparse lambda ||x||_1]   over x in the set

# What the norm and the ridge weigh at lambda; follows: the ridge is scaled with lambda along a path.
weights_at <- function(p, lambda) {
    gamma <- number(p, "gamma")
    if (is.null(p$alpha)) return(list(lambda = lambda, gamma = gamma, follows = FALSE))
    if (gamma > 0) wrong("gamma: lambda and alpha say already what the ridge is")
    alpha <- number(p, "alpha", 0, 1)
    list(lambda = alpha * lambda, gamma = (1 - alpha) * lambda, follows = TRUE)
}

sparse_share <- function(p) {
    if (is.null(p$also.sparse)) return(if (identical(p$structure, "learned")) 1 else 0)
    number(p, "also.sparse")
}

class_weights <- function(weight, labels) {
    if (is.null(weight) || identical(weight, "balanced")) return(weight)
    if (is.character(weight) && length(weight) == 1) return(weight)
    weight <- unlist(weight)
    if (is.null(names(weight))) wrong("class.weight is neither \"balanced\" nor a vector with the labels as names")
    unknown <- setdiff(names(weight), labels)
    if (length(unknown) > 0) wrong("class.weight: no row has the label '", unknown[1], "'")
    paste0(names(weight), "=", format(as.double(weight), digits = 17, trim = TRUE), collapse = ",")
}

# A group for each row of F, as numbers: from such numbers, a factor, names, or a list of the rows of each group.
group_numbers <- function(groups) {
    if (is.list(groups)) {
        rows <- unlist(groups)
        if (!is.numeric(rows) || anyNA(rows) || !identical(sort(as.double(rows)), as.double(seq_along(rows))))
            wrong("groups: a list names each row of F, from 1 on, once")
        numbers <- numeric(length(rows))
        numbers[rows] <- rep(seq_along(groups), lengths(groups))
        return(numbers)
    }
    if (is.factor(groups) || is.character(groups) && length(groups) > 1) return(as.double(match(groups, unique(groups))))
    if (is.numeric(groups)) groups
}

# Handles of data, structures and problem at lambda (1 for a path, which scales it).
problem_of <- function(x, y, family, p, lambda, names = NULL) {
    features <- ncol(x)
    called <- feature_names(x)
    data <- data_handle(x, y, p$weights, p$offset, if (family$classify) y$labels, names)
    learned <- NULL
    if (identical(p$structure, "learned")) {
        learned <- learn_handle(data, list(threads = p$threads, max.memory = p$max.memory))
        F <- learned$handle
    } else F <- structure_handle(p$structure, features, called)
    w <- weights_at(p, lambda)
    term <- list(penalty = p$penalty, F = F, lambda = w$lambda, row.weight = if (!is.null(p$penalty.weights)) as.double(p$penalty.weights),
                 groups = if (is.character(p$groups) && length(p$groups) == 1) p$groups, group = group_numbers(p$groups))
    terms <- list(term)
    share <- sparse_share(p)
    identity <- NULL
    if (share > 0) {
        identity <- structure_handle("identity", features)
        terms <- c(terms, list(list(penalty = "l1", F = identity, lambda = share * w$lambda)))
    }
    what <- list(loss = family$loss, terms = terms, ridge = w$gamma, follows = as.double(w$follows), set = p$set, intercept = flag(p, "intercept"),
                 standardize = flag(p, "standardize"), class.weight = class_weights(p$class.weight, y$labels), allow.one.class = flag(p, "allow.one.class"))
    list(data = data, F = F, identity = identity, learned = learned, problem = .Call(glue_problem_new, data, what))
}

# In this order: a problem uses its data and its structures.
close_problem <- function(handles) release(handles$problem, handles$F, handles$identity, handles$data)
