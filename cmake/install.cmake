# What `cmake --install` puts where: libraries (shared and static), header, command, man page, completion for shells, pkg-config file, CMake package spdhg::spdhg.
include(CMakePackageConfigHelpers)
set(SPDHG_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/spdhg)

install(TARGETS spdhg spdhg_static EXPORT spdhgTargets)
install(TARGETS spdhg_command)
install(FILES docs/spdhg.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completion/spdhg.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME spdhg)
install(FILES completion/_spdhg DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completion/spdhg.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The prefix is found from the file's own place, so that an installed tree may be moved.
file(RELATIVE_PATH SPDHG_PREFIX_FROM_PC /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/spdhg.pc.in spdhg.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spdhg.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(EXPORT spdhgTargets NAMESPACE spdhg:: DESTINATION ${SPDHG_CMAKE_DIR})
configure_package_config_file(cmake/spdhgConfig.cmake.in spdhgConfig.cmake INSTALL_DESTINATION ${SPDHG_CMAKE_DIR})
write_basic_package_version_file(spdhgConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/spdhgConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/spdhgConfigVersion.cmake
        DESTINATION ${SPDHG_CMAKE_DIR})
