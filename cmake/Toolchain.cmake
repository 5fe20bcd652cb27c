# Flags every file is compiled with; warnings are errors from the first file on.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror)

# A fused multiply-add appears only where a kernel asks for one: results must not depend on what the
# compiler chose to contract (operators are bitwise reproducible on one ISA).
add_compile_options(-ffp-contract=off -fno-math-errno)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 sees overlaps in std::string (its bug 105651) and unset members of the other alternatives in moved
  # std::variants that are not there; clang's own analysis runs in the fuzz build.
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wthread-safety)
endif()

if(FATHOM_SANITIZE)
  add_compile_options(-fsanitize=${FATHOM_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FATHOM_SANITIZE})
endif()
if(FATHOM_SANITIZE STREQUAL "thread")
  # Kernels that randomise addresses by 32 bits leave no room for the thread sanitizer of GCC 12. What the build and
  # ctest run is started without that, where it is allowed.
  execute_process(COMMAND setarch -R true RESULT_VARIABLE setarch_result OUTPUT_QUIET ERROR_QUIET)
  if(setarch_result EQUAL 0)
    set(CMAKE_CROSSCOMPILING_EMULATOR setarch -R)
  endif()
endif()
if(FATHOM_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

find_program(FATHOM_CCACHE ccache)
if(FATHOM_CCACHE)
  # Paths count from the source folder, so that clones and worktrees beside each other share what they compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
                                  ${FATHOM_CCACHE})
endif()
find_program(FATHOM_MOLD mold)
if(FATHOM_MOLD)
  add_link_options(-fuse-ld=mold)
endif()

# Files of one instruction set are compiled for it and reached only through run-time dispatch. Fuzzers read
# formats and multiply nothing: their build is spared what takes clang the longest.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT FATHOM_FUZZ)
  add_compile_definitions(FATHOM_X86_KERNELS)
  set(FATHOM_ISA_avx2 -mavx2 -mfma -mf16c)
  set(FATHOM_ISA_avx512 -mavx2 -mfma -mf16c -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512bf16
                        -mavx512vnni -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12's own header reads variables it means to leave undefined (GCC bug 105593).
    list(APPEND FATHOM_ISA_avx512 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
endif()
# The emulation passes wide vectors through memory, which GCC remarks on; what is emulated need not be fast.
if(NOT FATHOM_FUZZ)
  set(FATHOM_ISA_emulated -Wno-psabi -O1)
endif()
