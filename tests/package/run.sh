#!/usr/bin/env bash
# Builds and runs one project that uses Jostle from outside.
# usage: run.sh WAY SOURCE_FOLDER BUILD_FOLDER C++_COMPILER C_COMPILER
set -euo pipefail
way=$1 source=$2 build=$3 cxx=$4 cc=$5

here="$source/tests/package"
work="$build/package_test/$way"
rm -rf "$work"
mkdir -p "$work"

options=(-G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_COMPILER=$cxx" "-DCMAKE_C_COMPILER=$cc")
if command -v ccache >/dev/null; then
  # The ways that compile Jostle anew find what the build has compiled with the same flags.
  export CCACHE_NOHASHDIR=1
  options+=(-DJOSTLE_WERROR=ON -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_C_COMPILER_LAUNCHER=ccache)
fi

case $way in
  install_tree)
    cmake --install "$build" --prefix "$work/prefix" >"$work/install.log"
    # Nothing of the source or build folder may be needed after installing.
    if grep -rlF -e "$source" -e "$build" "$work/prefix/lib/cmake"; then
      echo "the installed package refers to the folder it was built in" >&2
      exit 1
    fi
    project=find_package
    options+=("-DCMAKE_PREFIX_PATH=$work/prefix")
    ;;
  build_tree)
    project=find_package
    options+=("-Djostle_DIR=$build")
    ;;
  fetch_content)
    project=fetch_content
    options+=("-DFETCHCONTENT_SOURCE_DIR_JOSTLE=$source")
    ;;
  add_subdirectory)
    project=add_subdirectory
    options+=("-DJOSTLE_SOURCE=$source")
    ;;
  lto_refused)
    for flavour in PROPERTY FLAG LATE; do
      if cmake -S "$here/lto_refused" -B "$work/$flavour" "${options[@]}" "-Djostle_DIR=$build" \
               "-D$flavour=ON" >"$work/log" 2>&1; then
        echo "link-time optimisation was accepted ($flavour)" >&2
        exit 1
      fi
      if ! grep -q "link-time optimisation removes" "$work/log"; then
        cat "$work/log" >&2
        exit 1
      fi
    done
    exit 0
    ;;
  *)
    echo "unknown way: $way" >&2
    exit 2
    ;;
esac

if [[ $way == install_tree ]]; then
  # The command that was installed, without the folder it was built in.
  (
    cd "$work"
    "$work/prefix/bin/jostle" c++ -g -O1 -std=c++20 "$source/examples/program/tickets.cc" -o tickets
    code=0
    prefix/bin/jostle run -- ./tickets >run.txt 2>&1 || code=$?
    if [[ $code != 1 ]] || ! grep -q "exit-code: the program ended with exit code 1" run.txt; then
      cat run.txt >&2
      exit 1
    fi
  )
fi

cmake -S "$here/$project" -B "$work/build" "${options[@]}"
cmake --build "$work/build" --target consumer_test --parallel 2
ctest --test-dir "$work/build" --output-on-failure --no-tests=error

if readelf -d "$work/build/consumer_test" | grep -q libtsan; then
  echo "libtsan was linked beside Jostle's runtime" >&2
  exit 1
fi
