// What earlier runs have left in the memo, and what this one leaves.
#pragma once

#include <jostle/jostle.hpp>
#include <map>
#include <string>
#include <vector>

#include "explore/session.h"
#include "memo/database.h"

namespace jostle::explore {

class CoverMemo {
 public:
  explicit CoverMemo(const Session& session) : session_(session) {}

  // Reads what there is. False, with the error in the result, if it cannot be read.
  bool open(Result& result);
  bool kept() const { return !path_.empty(); }    // is anything to be remembered?
  bool empty() const { return before_.empty(); }  // nothing was known before

  struct Said {
    bool remembered = false;            // the memo has the item
    bool known = false;                 // as exposed
    bool again = false;                 // it is to be sought all the same
    const memo::Item* tried = nullptr;  // what counts of what it says
  };
  Said said(const std::string& id) const;

  // Enters this run with what it says of items. What went wrong, if something did.
  std::string remember(const memo::Run& about, const std::vector<memo::Item>& items);

  // What is left, as `jostle db items` ranks it.
  void rank(Coverage& c) const;
  // With what was exposed before, and by the database that is compared with.
  void compare(Coverage& c) const;

 private:
  using Items = std::map<std::string, memo::Item>;
  bool read(Result& result, const std::string& name, bool create, const std::string& build,
            Items& out);
  std::string keep(const std::string& why, const std::vector<memo::Item>& items);

  const Session& session_;
  std::string path_;  // of the database; "": none
  Items before_;      // what it said at the beginning
  Items tried_;       // what it said of this build, where that matters
  Items against_;     // what the database said that is compared with
  std::string last_run_;
  memo::Run run_;
};

}  // namespace jostle::explore
