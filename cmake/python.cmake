# The Python package, ready to import in BUILD/python: one abi3 extension that contains the library (or, for a distribution's package,
# is linked to it), the modules of bindings/python/spdhg, and the parameters made from the library's tables. Skipped without
# python3-dev and python3-cffi.
option(SPDHG_PYTHON_SHARED "link the Python package to libspdhg.so, instead of putting the library into it" OFF)
find_program(SPDHG_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
execute_process(COMMAND ${SPDHG_PYTHON} -c "import cffi, sysconfig, os; d = sysconfig.get_paths()['include']; os.stat(d + '/Python.h'); print(d)"
                OUTPUT_VARIABLE SPDHG_PYTHON_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE missing)
if(missing OR NOT SPDHG_BINDINGS)
  return()
endif()
set(tools ${CMAKE_CURRENT_SOURCE_DIR}/bindings/python/tools)
set(package ${CMAKE_CURRENT_BINARY_DIR}/python/spdhg)
file(GLOB modules CONFIGURE_DEPENDS bindings/python/spdhg/*)

add_custom_command(OUTPUT python_native.c
  COMMAND ${SPDHG_PYTHON} ${tools}/native.py ${CMAKE_CURRENT_SOURCE_DIR}/include/spdhg.h ${CMAKE_C_COMPILER} python_native.c
  DEPENDS include/spdhg.h ${tools}/native.py)
add_library(spdhg_python MODULE python_native.c)
target_include_directories(spdhg_python SYSTEM PRIVATE ${SPDHG_PYTHON_INCLUDE})
if(SPDHG_PYTHON_SHARED)
  target_link_libraries(spdhg_python PRIVATE spdhg BLAS::BLAS m)
else()
  target_link_libraries(spdhg_python PRIVATE spdhg_objects)
endif()
target_compile_options(spdhg_python PRIVATE -w) # generated code
set_target_properties(spdhg_python PROPERTIES PREFIX "" OUTPUT_NAME _native SUFFIX .abi3.so LIBRARY_OUTPUT_DIRECTORY ${package})
target_link_options(spdhg_python PRIVATE -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/python.map -Wl,--wrap=hypot)

set(load "")
if(SPDHG_SANITIZE) # an interpreter without sanitizers loads theirs first
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(load ${CMAKE_COMMAND} -E env LD_PRELOAD=${asan} ASAN_OPTIONS=detect_leaks=0)
endif()
add_custom_command(OUTPUT ${package}/_parameters.py
  COMMAND ${CMAKE_COMMAND} -E copy ${modules} ${package}
  COMMAND ${load} ${SPDHG_PYTHON} ${tools}/parameters.py ${package}/_native.abi3.so ${package}/_parameters.py
  DEPENDS spdhg_python ${modules} ${tools}/parameters.py ${tools}/stub.pyi)
add_custom_target(spdhg_python_package ALL DEPENDS ${package}/_parameters.py)
