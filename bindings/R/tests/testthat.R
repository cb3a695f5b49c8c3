library(testthat)
library(spdhg)
test_check("spdhg")
