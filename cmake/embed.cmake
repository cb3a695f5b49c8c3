# Style and script of the report pages as C arrays, each with the SHA-256 (base64) that the page's security policy admits.
# Run at build time: cmake -DOUT=assets.c -DWEB=src/report/web -DDYGRAPHS=/usr/share/javascript/dygraphs -P cmake/embed.cmake
cmake_policy(VERSION 3.21)

# Three bytes at a time; a SHA-256 has 32, so two are left over.
function(base64 hex out)
  set(digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}0000" ${at} 6 triple)
    foreach(shift 18 12 6 0)
      math(EXPR digit "(0x${triple} >> ${shift}) & 63")
      string(SUBSTRING ${digits} ${digit} 1 digit)
      string(APPEND text ${digit})
    endforeach()
  endforeach()
  string(SUBSTRING ${text} 0 43 text)
  set(${out} "${text}=" PARENT_SCOPE)
endfunction()

# The distribution's minified files end in the name of a map that is not there.
function(read_file path out)
  file(READ "${path}" text)
  string(REGEX REPLACE "\n/[/*]# sourceMappingURL=[^\n]*" "\n" text "${text}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

function(embed name text)
  string(TOLOWER "${text}" lower)
  if(lower MATCHES "</(script|style)|<!--")
    message(FATAL_ERROR "${name}: ${CMAKE_MATCH_0} would end its element in a page")
  endif()
  string(SHA256 hash "${text}")
  base64(${hash} hash)
  string(HEX "${text}" bytes)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(APPEND ${OUT} "static const unsigned char ${name}[] = {${bytes}0};\n"
                     "const spd_asset spd_asset_${name} = {(const char *)${name}, \"${hash}\"};\n")
endfunction()

# Our own files see each other and nobody else sees them: one function around all of them.
file(GLOB sources ${WEB}/*.js)
set(script "(() => {\n'use strict';\n")
foreach(source ${sources})
  read_file(${source} text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "start();\n})();\n")

read_file(${WEB}/page.css style)
read_file(${DYGRAPHS}/dygraph.min.css chart_style)
read_file(${DYGRAPHS}/dygraph.min.js chart_script)
file(WRITE ${OUT} "/* Written by cmake/embed.cmake. */\n#include \"report/page.h\"\n")
embed(style "${style}")
embed(script "${script}")
embed(chart_style "${chart_style}")
embed(chart_script "${chart_script}")
