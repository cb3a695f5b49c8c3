# call.R - errors of the library as R conditions, and checks of what a user gives.

STATUS <- c("1" = "internal", "2" = "usage", "3" = "data", "5" = "io", "6" = "memory", "7" = "numerical")

# The command's options by their names here.
r_words <- function(message) {
    found <- gregexpr("--[a-z][a-z0-9-]*", message)
    regmatches(message, found) <- lapply(regmatches(message, found), function(word) {
        plain <- sub("^--", "", word)
        ifelse(plain %in% names(option_names), option_names[plain], plain)
    })
    message <- sub("groups FILE", "groups: a number or a name for each row of F, a list of such rows", message, fixed = TRUE)
    message <- sub("^(column [0-9]+): row ([0-9]+) is not in .*", "x is broken: \\1 has an entry in row \\2, counted from 0, which x does not have", message)
    sub("use family softmax for classes, family squared or huber", "use family multinomial for classes, gaussian", message, fixed = TRUE)
}

# Called from C: a condition of class spdhg_STATUS_error, spdhg_error, error.
stop_with <- function(status, message) {
    kind <- STATUS[[as.character(status)]]
    stop(structure(class = c(paste0("spdhg_", kind, "_error"), "spdhg_error", "error", "condition"),
                   list(message = r_words(message), call = NULL, status = status)))
}

wrong <- function(...) stop_with(2L, paste0(...))

warn <- function(kind, ...) {
    warning(structure(class = c(paste0("spdhg_", kind), "spdhg_warning", "warning", "condition"),
                      list(message = paste0(...), call = NULL)))
}

# Arguments of glmnet that have another name here.
GLMNET <- c(penalty.factor = "penalty.weights (not rescaled)", lower.limits = "set, such as \"nonneg\" or \"box:0,1\"",
            upper.limits = "set, such as \"box:0,1\"", thresh = "tol", maxit = "epochs", trace.it = "verbose", parallel = "threads")

# Arguments that no parameter has.
refuse <- function(...) {
    if (...length() == 0) return(invisible())
    given <- names(list(...))
    known <- names(formals(spdhg.default))
    if (is.null(given) || !nzchar(given[1])) wrong("an argument without a name; give x and y by position and the others by name")
    if (given[1] %in% names(GLMNET)) wrong("glmnet's ", given[1], " is here ", GLMNET[[given[1]]])
    near <- known[which.min(adist(given[1], known))]
    wrong("unknown argument '", given[1], "'; did you mean '", near, "'?")
}

number <- function(p, name, low = 0, high = Inf) {
    value <- p[[name]]
    if (is.null(value)) return(NULL)
    if (!is.numeric(value) && !is.logical(value) || length(value) != 1 || is.na(value) || value < low || value > high)
        wrong(name, " is not a number from ", low, " to ", high)
    as.double(value)
}

flag <- function(p, name) {
    value <- p[[name]]
    if (is.null(value)) return(NULL)
    if (length(value) != 1 || is.na(value) || !(is.logical(value) || value %in% 0:1)) wrong(name, " is neither TRUE nor FALSE")
    as.double(value)
}

choice <- function(p, name, from) {
    value <- p[[name]]
    if (!is.character(value) || length(value) != 1 || !(value %in% from)) wrong(name, " is not one of ", paste(from, collapse = ", "))
    value
}

memory <- function(value) {
    if (is.null(value) || is.numeric(value)) return(value)
    parts <- regmatches(value, regexec("^([0-9.]+)([kKMGT]?)$", value))[[1]]
    if (length(parts) != 3) wrong("max.memory = \"", value, "\": expected a number of bytes, 500M or 2G")
    as.double(parts[2]) * 1000^match(toupper(parts[3]), c("", "K", "M", "G", "T"), nomatch = 1) / 1000
}

# A whole number; NULL asks for one of R's random numbers.
seed_of <- function(seed) {
    if (is.null(seed)) return(floor(stats::runif(1) * 2^52))
    if (!is.numeric(seed) || length(seed) != 1 || is.na(seed) || seed < 0 || seed != floor(seed)) wrong("seed is not a whole number of at least 0, or NULL")
    as.double(seed)
}

verbosity <- function(verbose) if (identical(verbose, "bar")) 3 else number(list(verbose = verbose), "verbose", 0, 2)

SAMPLING <- c(iid = 0, shuffle = 1, norm = 2)

# Options of a solve, as the C side reads them; what is NULL keeps the library's default.
solve_options <- function(p) {
    batch <- p$batch
    if (!is.null(batch)) batch <- if (identical(batch, "auto")) 0 else number(p, "batch", 1)
    list(epochs = number(p, "epochs"), time = number(p, "time"), tol = number(p, "tol"), every = number(p, "every"), batch = batch,
         sampling = if (!is.null(p$sampling)) SAMPLING[[choice(p, "sampling", names(SAMPLING))]], seed = seed_of(p$seed),
         threads = number(p, "threads"), max.memory = memory(p$max.memory), checkpoint = p$checkpoint,
         checkpoint.every = number(p, "checkpoint.every"), resume = p$resume, solver = p$solver, verbose = verbosity(p$verbose))
}

outcome_name <- function(number) tolower(.Call(glue_catalog, "outcomes")$name)[number + 1L]

release <- function(...) for (handle in list(...)) .Call(glue_release, handle)

catalog <- function(topic = c("losses", "penalties", "structures", "sets", "solvers", "methods")) {
    topic <- match.arg(topic)
    as.data.frame(.Call(glue_catalog, topic), stringsAsFactors = FALSE)
}
