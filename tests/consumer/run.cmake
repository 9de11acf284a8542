# SPDX-License-Identifier: Apache-2.0
# cmake -DT3_BUILD= -DWORK= -DGENERATOR= -DBUILD_TYPE= -DCOMPILER= [-DPACKAGE=ON]
#       -P run.cmake
# Installs the built tree to a prefix of its own, builds the installed copy of this project against it,
# runs its tests and itself. Then runs the installed t3sim on the same scenario: both must simulate the same time. With PACKAGE the
# prefix is what a Debian package of the tree unpacks to, and the package must say what it needs.

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
if(PACKAGE)
  run(ignored "${CMAKE_CPACK_COMMAND}" -G DEB --config "${T3_BUILD}/CPackConfig.cmake" -B
      "${WORK}/package")
  file(GLOB package "${WORK}/package/t3sim_*.deb")
  run(ignored dpkg-deb --extract "${package}" "${WORK}/root")
  run(depends dpkg-deb --field "${package}" Depends Recommends)
  foreach(needed libc6 libboost-json1.81.0 libopenmpi libsystemc-dev verilator)
    if(NOT depends MATCHES "${needed}")
      message(FATAL_ERROR "${package} does not depend on ${needed}: ${depends}")
    endif()
  endforeach()
  if(NOT EXISTS "${WORK}/root/usr/share/man/man1/t3sim.1")
    message(FATAL_ERROR "${package} has no manual page")
  endif()
  file(RENAME "${WORK}/root/usr" "${WORK}/prefix")
else()
  run(ignored "${CMAKE_COMMAND}" --install "${T3_BUILD}" --prefix "${WORK}/prefix")
endif()
foreach(path bin/t3sim share/bash-completion/completions/t3sim include/t3/driver/t3_tracker.h
             share/t3/rtl/t3_track_trigger.sv share/t3/rtl/t3_track_trigger.f
             share/t3/rtl/t3_switch_merge.f share/t3/rtl/switch/t3_switch_merge.sv
             share/t3/hw/checkers/t3_bind.sv share/t3/hw/example/run share/t3/example/CMakeLists.txt
             share/t3/data/collectives/ring-all-reduce-8.xml share/t3/data/workloads/t-nlg-layer-tp8.0.et
             include/t3/rtl_test/simulated.h include/t3/tlm/node/system.h lib/cmake/t3/t3Config.cmake
             share/doc/t3/LICENSE share/doc/t3/README.md share/doc/t3/docs/workloads.md
             share/doc/t3/docs/measurements/performance.md share/doc/t3/docs/figures/system.svg)
  if(NOT EXISTS "${WORK}/prefix/${path}")
    message(FATAL_ERROR "${path} is not installed")
  endif()
endforeach()
# The lists name files that are there.
foreach(unit track_trigger tracker switch_merge stack_join block_codec)
  file(STRINGS "${WORK}/prefix/share/t3/rtl/t3_${unit}.f" files REGEX "^rtl/")
  foreach(file IN LISTS files)
    if(NOT EXISTS "${WORK}/prefix/share/t3/${file}")
      message(FATAL_ERROR "t3_${unit}.f names ${file}, which is not installed")
    endif()
  endforeach()
endforeach()
find_program(iverilog iverilog)
if(iverilog)
  run(ignored "${WORK}/prefix/share/t3/hw/example/run" --gpus 2 --wave "${WORK}/ring.vcd")
endif()
run(ignored "${CMAKE_COMMAND}" -S "${WORK}/prefix/share/t3/example" -B "${WORK}/build" -G "${GENERATOR}"
    "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}" "-DCMAKE_CXX_FLAGS=${FLAGS}"
    "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix")
run(ignored "${CMAKE_COMMAND}" --build "${WORK}/build")
run(ignored "${CMAKE_CTEST_COMMAND}" --test-dir "${WORK}/build" --no-tests=error)
run(consumer "${WORK}/build/consumer")
message("${consumer}")

run(ignored "${WORK}/prefix/bin/t3sim" run --preset tiny-tp4 --mode t3 --tracker rtl --quiet
    --json "${WORK}/t3sim.json")
file(READ "${WORK}/t3sim.json" report)
string(JSON expected GET "${report}" runs 0 time_ps)
if(NOT consumer MATCHES "time_ps ${expected}\n")
  message(FATAL_ERROR "t3sim simulated ${expected} ps, the consumer something else:\n${consumer}")
endif()
