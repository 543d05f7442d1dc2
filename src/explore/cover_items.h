// What is known of each interleaving in a search that raises coverage: what executions have
// exposed, what others could, and whether that is possible.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <unordered_set>

#include "cover/feasibility.h"
#include "cover/items.h"
#include "explore/cover_memo.h"
#include "explore/coverage_text.h"
#include "strategies/novelty.h"

namespace jostle::explore {

class CoverItems {
 public:
  // Executions from each of which much is learned; later ones hardly ever show what is new.
  static constexpr std::uint64_t kEarly = 200;
  // To learn from it takes much longer than to make it.
  static bool is_long(const covering::Execution& e) { return e.accesses.size() >= 10'000; }

  struct State {
    bool predicted = false, exposed = false;
    bool possible = false;       // an execution that it was predicted from has nothing against it
    CoverMemo::Said memo;        // what was known before
    std::uint32_t attempts = 0;  // that failed
    std::uint32_t failed_before = 0;    // of them: in earlier runs
    std::uint32_t tries = 0;            // witnesses and attempts, those before included
    std::uint32_t judged = 0;           // how many of `shapes` have been asked
    std::vector<std::uint32_t> shapes;  // that it was predicted from
    std::string infeasible;             // in all of them, and why
    std::string schedule;               // that exposed it: departures from the default
    std::uint64_t execution = 0, hits = 0;
    const char* decided_by = "";  // see CoverageItem
  };

  // `seen` gets what is exposed, and what need not be sought.
  CoverItems(const Session& session, const CoverMemo& memo, CoverageText& text, SeenItems& seen)
      : session_(session), memo_(memo), text_(text), seen_(seen) {}

  // What an execution teaches. `stage`: what is said of the target if it was exposed; without a
  // target, of all. Not `thorough`: of one that is long, or exposes nothing new, nothing more.
  struct Lesson {
    bool fresh = false;                 // something was exposed or predicted that was not before
    std::uint64_t exposed = 0;          // items that were not, and that nobody knew
    std::vector<std::uint64_t> places;  // that touch what is shared: all, if there may be new ones
  };
  Lesson learn(const AccessLog& log, const covering::Execution& e, const std::string& schedule,
               std::uint64_t number, const covering::Item* target, const char* stage,
               bool thorough);

  bool wants(covering::Idiom idiom) const {
    const Options::Metric m = session_.options.metric;
    return m == Options::Metric::all ||
           (m == Options::Metric::pairs) == (idiom == covering::Idiom::pair);
  }
  bool open(const State& s) const {
    const std::uint32_t most = session_.options.give_up;
    return s.predicted && !s.exposed && !settled(s) &&
           (s.infeasible.empty() || s.judged < s.shapes.size()) && (most == 0 || s.attempts < most);
  }
  // Idiom by idiom, the program's own code before that of libraries.
  std::vector<covering::Item> open_items(bool pairs);
  // Whether the closure leaves an order for it. What it says is kept.
  bool possible(const covering::Item& item);
  // A schedule that exposes the item, worked out from an execution that was made. Empty if there is
  // none.
  covering::Feasibility::Witness witness(const covering::Item& item,
                                         covering::Feasibility::Reads reads);

  State& operator[](const covering::Item& i) { return of(i); }
  const State* find(const covering::Item& i) const { return table_.find(i); }
  auto begin() { return table_.begin(); }
  auto end() { return table_.end(); }
  std::size_t size() const { return table_.size(); }
  // Did the memo know most of them, and need they not be sought?
  bool mostly_settled() const { return settled_ * 2 > table_.size(); }
  std::size_t settled() const { return settled_; }

  // What the memo does not know yet.
  std::vector<memo::Item> news(memo::Run& about, bool found);
  void report(Coverage& c);

 private:
  // How many executions are kept for witnesses, and how long they may be.
  static constexpr std::size_t kShapes = 256, kLongest = 100'000, kMost = 2'000'000;
  // An item is judged by as many at most: others mostly say the same.
  static constexpr std::size_t kJudges = 6;

  // An execution, for all in which the threads did the same: what one of them predicts, all do.
  struct Shape {
    covering::Execution execution;
    std::optional<covering::Feasibility> made;
    explicit Shape(const covering::Execution& e) : execution(e) {}
    const covering::Feasibility& feasibility() {
      if (!made) made.emplace(execution);
      return *made;
    }
  };
  static bool settled(const State& s) { return s.memo.known && !s.memo.again; }
  State& of(const covering::Item& item);
  Shape* shape(std::uint32_t number) {
    return number < first_shape_ ? nullptr : shapes_[number - first_shape_].get();
  }
  bool exposes_more() const;
  bool worth_predicting(std::uint64_t number);
  bool predict(const AccessLog& log, const covering::Execution& e);
  void keep(const covering::Execution& e);
  bool own_code(const covering::Item& item);

  const Session& session_;
  const CoverMemo& memo_;
  CoverageText& text_;
  SeenItems& seen_;
  covering::ItemTable<State> table_;
  std::unordered_set<std::uint64_t> known_shapes_;
  std::deque<std::unique_ptr<Shape>> shapes_;
  std::uint32_t first_shape_ = 0;  // number of the first that is kept
  std::size_t kept_ = 0;           // accesses in them
  covering::Items exposed_, predicted_;
  // Executions in a row from which nothing new was predicted, and from which nothing was since.
  std::uint32_t idle_ = 0, unpredicted_ = 0;
  std::size_t settled_ = 0;
};

}  // namespace jostle::explore
