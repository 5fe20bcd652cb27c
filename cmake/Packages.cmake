# The libraries of the system. All that are missing are named in one error, with the command that installs them.

# Looks for a package and notes the Debian package that has it when it is not there.
macro(fathom_find name debian)
  find_package(${name} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND FATHOM_MISSING ${debian})
  endif()
endmacro()

# The same by pkg-config, as the imported target PkgConfig::<name>.
macro(fathom_find_pkg name module debian)
  if(PkgConfig_FOUND)
    pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  endif()
  if(NOT ${name}_FOUND)
    list(APPEND FATHOM_MISSING ${debian})
  endif()
endmacro()

find_package(Threads REQUIRED)
fathom_find(fmt libfmt-dev)
fathom_find(nlohmann_json nlohmann-json3-dev)
fathom_find(CLI11 libcli11-dev)
fathom_find(PkgConfig pkg-config)
fathom_find_pkg(PCRE2 libpcre2-8 libpcre2-dev)
fathom_find_pkg(UTF8PROC libutf8proc libutf8proc-dev)
# Older versions lack what is used; only headers are taken.
find_package(Boost 1.81 QUIET CONFIG)
if(NOT Boost_FOUND)
  list(APPEND FATHOM_MISSING libboost1.81-dev)
endif()
fathom_find(OpenSSL libssl-dev)
if(FATHOM_TESTS OR FATHOM_FUZZ)
  fathom_find(GTest "libgtest-dev libgmock-dev")
endif()
if(FATHOM_BENCHMARKS)
  fathom_find(benchmark libbenchmark-dev)
endif()

if(FATHOM_MISSING)
  list(JOIN FATHOM_MISSING " " missing)
  message(FATAL_ERROR "Fathom needs libraries that this system does not have. On Debian 12:\n  apt-get install ${missing}\n"
                      "scripts/demo and scripts/test install everything by themselves.")
endif()

# Third-party libraries of each module; src/LAYERS says which headers each may include.
set(FATHOM_LIBRARIES_base Threads::Threads fmt::fmt nlohmann_json::nlohmann_json)
set(FATHOM_LIBRARIES_text PkgConfig::PCRE2 PkgConfig::UTF8PROC)
# Beast 1.81 asserts that the last chunk of a body never comes alone and in parts. It does (RequestParser.
# CutsBytesIntoRequestsHoweverTheyArrive), its code is right without the assertion, and a client must not end the program.
set_property(TARGET Boost::headers APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS BOOST_DISABLE_ASSERTS)
if(FATHOM_SANITIZE STREQUAL "thread")
  # The thread sanitizer does not know fences. Asio's queues are ordered by a mutex as well.
  set_property(TARGET Boost::headers APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS BOOST_ASIO_DISABLE_FENCED_BLOCK)
endif()
set(FATHOM_LIBRARIES_net Boost::headers OpenSSL::SSL OpenSSL::Crypto)
set(FATHOM_LIBRARIES_cli CLI11::CLI11)
