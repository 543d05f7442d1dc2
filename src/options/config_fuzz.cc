// libFuzzer target: whatever a jostle.toml holds, it is applied as a whole or refused with the
// number of a line; and what was applied can be handed on.
#include <cctype>
#include <cstdlib>

#include "options/config.h"
#include "options/options.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string names[] = {"bank_test", "Account.Deposit"};
  jostle::Options o;
  if (const auto done = jostle::apply_config_text(o, text, names); !done) {
    if (done.error().empty() || !std::isdigit(static_cast<unsigned char>(done.error()[0])))
      std::abort();
    if (!(o == jostle::Options())) std::abort();
    return 0;
  }
  jostle::Options copy;
  if (!jostle::apply_list(copy, jostle::to_list(o))) std::abort();
  if (!(copy == o)) std::abort();
  return 0;
}
