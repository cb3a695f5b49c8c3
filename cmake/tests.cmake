# Every tests/ROOM/test_*.c is a cmocka program over the library's objects; every tests/ROOM/test_*.sh and .py is run with the
# command's path (Python finds tests/support through PYTHONPATH); every examples/*.c is a program over the installed interface alone, which checks its own result.
if(NOT SPDHG_TESTS)
  return()
endif()
enable_testing()
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB SPDHG_TEST_SOURCES CONFIGURE_DEPENDS tests/*/test_*.c)
foreach(source ${SPDHG_TEST_SOURCES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE tests/support)
  target_link_libraries(${name} PRIVATE spdhg_objects PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
# What tests/support/failing.h may refuse: the linker sends these calls there.
foreach(request aligned_alloc realloc free fopen fdopen fsync pthread_create XXH3_createState inflateInit2_ BZ2_bzDecompressInit
                lzma_stream_decoder ZSTD_createDStream)
  target_link_options(test_malloc PRIVATE -Wl,--wrap=${request})
endforeach()
# test_faults.py preloads it into the command; a sanitizer has its own malloc.
if(NOT SPDHG_SANITIZE)
  add_library(spdhg_faults MODULE tests/support/faults.c)
  target_link_libraries(spdhg_faults PRIVATE spdhg_flags)
endif()
# The targets of fuzz/ without libFuzzer.
target_sources(test_corpus PRIVATE ${SPDHG_FUZZ_TARGETS} ${SPDHG_SIGNAL_FILES})
target_link_libraries(test_corpus PRIVATE PNG::PNG)
target_include_directories(test_corpus PRIVATE fuzz)
target_compile_definitions(test_corpus PRIVATE SPDHG_CORPUS="${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus")

if(TARGET spdhg_command)
  # SPDHG_PYTHON: the Python that has numpy, the distribution's, not whatever comes first on PATH (cmake/python.cmake).
  file(GLOB SPDHG_TEST_SCRIPTS CONFIGURE_DEPENDS tests/*/test_*.sh tests/*/test_*.py)
  foreach(script ${SPDHG_TEST_SCRIPTS})
    get_filename_component(name ${script} NAME_WE)
    if(script MATCHES "\\.py$")
      set(name ${name}_py)
      add_test(NAME ${name} COMMAND ${SPDHG_PYTHON} ${script} $<TARGET_FILE:spdhg_command>)
    else()
      set(name ${name}_sh)
      add_test(NAME ${name} COMMAND sh ${script} $<TARGET_FILE:spdhg_command>)
    endif()
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endif()

file(GLOB SPDHG_EXAMPLES CONFIGURE_DEPENDS examples/*.c)
foreach(source ${SPDHG_EXAMPLES})
  get_filename_component(name ${source} NAME_WE)
  add_executable(example_${name} ${source})
  target_link_libraries(example_${name} PRIVATE spdhg spdhg_flags m)
  add_test(NAME example_${name} COMMAND example_${name})
endforeach()

# Several tests run at once: threads of BLAS, in C or below numpy, would wait for each other's turn on every small product.
get_property(SPDHG_TEST_NAMES DIRECTORY PROPERTY TESTS)
set_tests_properties(${SPDHG_TEST_NAMES} PROPERTIES ENVIRONMENT
                     "OPENBLAS_NUM_THREADS=1;PYTHONPATH=${CMAKE_CURRENT_SOURCE_DIR}/tests/support")
