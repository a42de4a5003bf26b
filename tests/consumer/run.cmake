# Installs Assay to a fresh prefix, then configures, builds and tests the project beside this file with it.
set(prefix ${BUILD}/consumer/prefix)
set(build ${BUILD}/consumer/build)
set(cache ${BUILD}/consumer/cache)
set(controls ${prefix}/share/assay/controls/positive)
set(check "${CMAKE_COMMAND};-E;env;ASSAY_CACHE=${cache};${prefix}/bin/assay;check;--contract;relu;--gates;CMP-01;--cases;20")
file(REMOVE_RECURSE ${prefix} ${build} ${cache})
foreach(command
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${prefix}"
    "${CMAKE_COMMAND};-S;${SOURCE};-B;${build};-G;Ninja;-DCMAKE_BUILD_TYPE=Release;-DCMAKE_PREFIX_PATH=${prefix};-DCMAKE_CXX_COMPILER=${COMPILER}"
    "${CMAKE_COMMAND};--build;${build}"
    "${CMAKE_CTEST_COMMAND};--test-dir;${build};--output-on-failure"
    "${prefix}/bin/assay;list;controls"
    # What was compiled with the headers before they were touched is not in the way.
    "${check};${controls}/relu_grid_stride.cu"
    "${CMAKE_COMMAND};-E;touch;${prefix}/libexec/assay/include/assay_cuda.h"
    "${check};${controls}/relu_vectorized.cu")
  execute_process(COMMAND ${command} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "failed (${failed}): ${command}")
  endif()
endforeach()
