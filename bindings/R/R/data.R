# data.R - x and y on their way into the library.

FAMILIES <- c(gaussian = "squared", mgaussian = "squared", binomial = "logistic", multinomial = "softmax", poisson = "poisson")
LINKS <- c(gaussian = "identity", binomial = "logit", poisson = "log")

# list(name, loss, classify): a name of glmnet, of the library's losses, or a family object.
family_of <- function(family) {
    if (is.function(family)) family <- family()
    if (inherits(family, "family")) {
        if (!(family$family %in% names(LINKS)) || family$link != LINKS[[family$family]])
            wrong("family ", family$family, " with link ", family$link, " is not one of gaussian (identity), binomial (logit), poisson (log)")
        family <- family$family
    }
    if (!is.character(family) || length(family) != 1) wrong("family is neither a name nor a family object")
    loss <- if (family %in% names(FAMILIES)) FAMILIES[[family]] else family
    classifies <- .Call(glue_classifies, loss)
    if (is.na(classifies)) wrong("unknown family '", family, "'; expected one of: ", paste(unique(c(names(FAMILIES), catalog("losses")$name)), collapse = ", "))
    known <- names(FAMILIES)[match(loss, FAMILIES)]
    list(name = if (family %in% names(FAMILIES)) family else if (is.na(known)) loss else known, loss = loss,
         classify = isTRUE(classifies))
}

# x as the C side takes it: a double matrix, a dgRMatrix or a dgCMatrix; sparse matrices stay sparse.
take_x <- function(x) {
    if (is(x, "dgCMatrix") || is(x, "dgRMatrix") || is.matrix(x) && is.double(x)) return(x)
    if (is.data.frame(x)) {
        if (!all(vapply(x, function(column) is.numeric(column) || is.logical(column), NA)))
            wrong("x has columns that are not numbers; give a formula, which takes factors")
        x <- as.matrix(x)
    }
    if (is(x, "RsparseMatrix")) return(as(as(x, "dMatrix"), "generalMatrix"))
    if (is(x, "denseMatrix")) x <- as.matrix(x)
    if (is(x, "sparseVector")) x <- as(x, "sparseMatrix")
    if (is(x, "Matrix")) return(as(as(as(x, "dMatrix"), "generalMatrix"), "CsparseMatrix"))
    if (is.numeric(x) && is.null(dim(x))) x <- matrix(x, ncol = 1)
    if (!is.matrix(x) || !is.numeric(x) && !is.logical(x)) wrong("x is not a matrix of numbers, a Matrix or a data frame of numbers")
    storage.mode(x) <- "double"
    x
}

# list(b (by rows), targets, labels): labels become their places from 0.
take_y <- function(y, family, rows) {
    if (is.data.frame(y)) y <- as.matrix(y)
    if (NROW(y) != rows) wrong("y has ", NROW(y), " rows, x has ", rows)
    if (anyNA(y)) wrong("y has missing values")
    if (family$classify) {
        if (NCOL(y) > 1) wrong("y is a matrix; labels are a vector or a factor")
        y <- if (is.factor(y)) droplevels(y) else factor(as.vector(y))
        return(list(b = as.double(as.integer(y)) - 1, targets = 1, labels = levels(y)))
    }
    if (is.factor(y) || !is.numeric(y) && !is.logical(y)) wrong("y has labels; family ", family$name, " takes numbers")
    many <- is.matrix(y) && ncol(y) > 1
    list(b = as.double(if (many) t(y) else y), targets = NCOL(y), labels = NULL, names = if (many) colnames(y))
}

offset_rows <- function(offset) if (is.matrix(offset)) as.double(t(offset)) else as.double(offset)

data_handle <- function(x, y = NULL, weights = NULL, offset = NULL, labels = NULL, names = NULL) {
    if (!is.null(weights) && length(weights) != nrow(x)) wrong("weights: ", length(weights), " of them for ", nrow(x), " rows")
    if (!is.null(offset) && NROW(offset) != nrow(x)) wrong("offset: ", NROW(offset), " of them for ", nrow(x), " rows")
    extra <- list(y = y$b, targets = y$targets, weights = if (!is.null(weights)) as.double(weights),
                  offset = if (!is.null(offset)) offset_rows(offset), offsets = NCOL(offset), labels = labels, names = names)
    size <- as.double(dim(x))
    tryCatch(.Call(glue_data_new, x, size, extra), spdhg_data_error = function(error) {
        if (grepl("column [0-9]+ is not finite", conditionMessage(error))) {
            where <- gsub("^(value|target) of | is not finite$", "", conditionMessage(error))
            if (grepl("^target", conditionMessage(error))) stop_with(3L, paste0("y has infinite values: ", where))
            stop_with(3L, paste0("x has missing or infinite values: ", where, "; leave such rows out or fill them in"))
        }
        if (!grepl("does not ascend", conditionMessage(error))) stop(error)
        .Call(glue_data_new, as(as(x, "TsparseMatrix"), "CsparseMatrix"), size, extra) # columns in disorder, or twice in a row
    })
}

feature_names <- function(x) if (is.null(colnames(x))) paste0("V", seq_len(ncol(x))) else colnames(x)
