# SPDX-License-Identifier: Apache-2.0
# cmake -DT3_BUILD= -DSOURCE= -DWORK= -DGENERATOR= -DBUILD_TYPE= -DCOMPILER= -P run.cmake
# Installs the built tree to a prefix of its own, builds this project against it and runs it. Then
# runs the installed t3sim on the same scenario: both must simulate the same time.

function(run variable)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE error
                  RESULT_VARIABLE failed)
  if(failed)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}\n${error}")
  endif()
  set(${variable} "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(ignored "${CMAKE_COMMAND}" --install "${T3_BUILD}" --prefix "${WORK}/prefix")
run(ignored "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run(ignored "${CMAKE_COMMAND}" --build "${WORK}/build")
run(consumer "${WORK}/build/consumer")
message("${consumer}")

run(ignored "${WORK}/prefix/bin/t3sim" run --preset tiny-tp4 --mode t3 --tracker rtl --quiet
    --json "${WORK}/t3sim.json")
file(READ "${WORK}/t3sim.json" report)
string(JSON expected GET "${report}" runs 0 time_ps)
if(NOT consumer MATCHES "time_ps ${expected}\n")
  message(FATAL_ERROR "t3sim simulated ${expected} ps, the consumer something else:\n${consumer}")
endif()
