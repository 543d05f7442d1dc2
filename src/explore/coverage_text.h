// Coverage for people.
#pragma once

#include <jostle/jostle.hpp>
#include <unordered_map>

#include "cover/item.h"
#include "report/symbols.h"

namespace jostle::explore {

// Names of places and items.
class CoverageText {
 public:
  explicit CoverageText(report::Symbols& symbols) : symbols_(symbols) {}

  struct Place {
    std::string text;  // "write account.cc:12 (Account::deposit)"
    std::string file;  // base name
    std::string id;    // the same in every build: see Symbols::place_in_function()
    bool user = true;  // not of a library
  };
  const Place& place(SiteKey site);
  CoverageItem item(const covering::Item& item);
  std::string id(const covering::Item& item);
  // "iroot2: read a.cc:1 (f) => write a.cc:9 (g) => write a.cc:2 (f)"
  std::string sentence(const covering::Item& item);

 private:
  report::Symbols& symbols_;
  std::unordered_map<SiteKey, Place> places_;
};

std::string metric_name(covering::Idiom idiom);

// Sorts the items, estimates what is left, and says it in a sentence.
void conclude_coverage(Result& result, std::uint64_t executions);
// The discovery curve as a picture: how much was exposed after how many executions.
std::string coverage_plot(const Result& result, const std::string& title);
// The lines of the terminal's report.
std::string coverage_report(const Coverage& c, bool verbose);

}  // namespace jostle::explore
