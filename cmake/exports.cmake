# Writes spdhg.map, the version script of the shared library: the public names, and the internal ones that the command's objects need.
# Run at build time: cmake -DNM=nm -DABI=0.1 -DIN=cmake/spdhg.map.in -DOUT=spdhg.map -DOBJECTS=a.o,b.o -P cmake/exports.cmake
cmake_policy(VERSION 3.21)
string(REPLACE "," ";" OBJECTS "${OBJECTS}")
execute_process(COMMAND ${NM} --undefined-only ${OBJECTS} OUTPUT_VARIABLE undefined COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "U spd_[A-Za-z0-9_]+" names "${undefined}")
list(REMOVE_DUPLICATES names)
list(SORT names)
list(TRANSFORM names REPLACE "^U " "")
list(JOIN names "; " PRIVATE)
configure_file(${IN} ${OUT} @ONLY)
