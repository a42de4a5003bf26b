# Installs Assay to a fresh prefix, then configures, builds and tests the project beside this file with it.
set(prefix ${BUILD}/consumer/prefix)
set(build ${BUILD}/consumer/build)
file(REMOVE_RECURSE ${prefix} ${build})
foreach(command
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${prefix}"
    "${CMAKE_COMMAND};-S;${SOURCE};-B;${build};-G;Ninja;-DCMAKE_BUILD_TYPE=Release;-DCMAKE_PREFIX_PATH=${prefix};-DCMAKE_CXX_COMPILER=${COMPILER}"
    "${CMAKE_COMMAND};--build;${build}"
    "${CMAKE_CTEST_COMMAND};--test-dir;${build};--output-on-failure"
    "${prefix}/bin/assay;list;controls")
  execute_process(COMMAND ${command} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "failed (${failed}): ${command}")
  endif()
endforeach()
