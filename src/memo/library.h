// Libraries that are loaded when they are needed: programs under test are linked with none.
#pragma once

#include <dlfcn.h>

namespace jostle::memo {

// F is the list of functions as an X-macro, `prefix` what their names begin with. The object is
// never destroyed: it may be used while the program exits.
#define JOSTLE_LOADED_MEMBER(prefix, name) decltype(&prefix##name) name = nullptr;
#define JOSTLE_LOADED_LOOK_UP(prefix, function)                                  \
  function = reinterpret_cast<decltype(function)>(dlsym(so, #prefix #function)); \
  loaded &= function != nullptr;

#define JOSTLE_LOADED(type, file, functions)                \
  struct type {                                             \
    functions(JOSTLE_LOADED_MEMBER) bool loaded = false;    \
    type() {                                                \
      void* const so = dlopen(file, RTLD_NOW | RTLD_LOCAL); \
      if (!so) return;                                      \
      loaded = true;                                        \
      functions(JOSTLE_LOADED_LOOK_UP)                      \
    }                                                       \
    static const type& get() {                              \
      static const type& the = *new type;                   \
      return the;                                           \
    }                                                       \
  };

}  // namespace jostle::memo
