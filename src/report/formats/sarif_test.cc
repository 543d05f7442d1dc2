#include <gtest/gtest.h>

#include "report/formats/formats.h"
#include "report/formats/sample.h"

namespace jostle::report {
namespace {

// From the line with `first` on.
std::string from(const std::string& text, const std::string& first) {
  const std::size_t at = text.find(first);
  return at == std::string::npos ? text : text.substr(text.rfind('\n', at) + 1);
}

TEST(Sarif, OneThreadFlowForEachThread) {
  const std::string text = to_sarif(std::vector{sample_run()});
  EXPECT_NE(text.find("\"version\": \"2.1.0\""), std::string::npos);
  EXPECT_NE(text.find("\"id\": \"exit-code\""), std::string::npos);
  EXPECT_EQ(from(text, "originalUriBaseIds"), R"json(      "originalUriBaseIds": {
        "SRCROOT": {"uri": "file:///home/me/"}
      },
      "invocations": [
        {
          "executionSuccessful": true,
          "toolExecutionNotifications": []
        }
      ],
      "results": [
        {
          "ruleId": "assertion",
          "ruleIndex": 0,
          "level": "error",
          "message": {"text": "`balance == 70' failed"},
          "locations": [
            {
              "physicalLocation": {"artifactLocation": {"uri": "account.cc", "uriBaseId": "SRCROOT"}, "region": {"startLine": 14}},
              "logicalLocations": [{"fullyQualifiedName": "Account::withdraw", "kind": "function"}]
            }
          ],
          "partialFingerprints": {"jostle/v2": "assertion|Account::withdraw@account.cc:14"},
          "codeFlows": [
            {
              "threadFlows": [
                {
                  "id": "T1",
                  "message": {"text": "T1"},
                  "locations": [
                    {
                      "location": {
                        "physicalLocation": {"artifactLocation": {"uri": "account.cc", "uriBaseId": "SRCROOT"}, "region": {"startLine": 12}},
                        "logicalLocations": [{"fullyQualifiedName": "Account::withdraw", "kind": "function"}],
                        "message": {"text": "read balance → 100"}
                      },
                      "kinds": ["memory", "value"],
                      "executionOrder": 1,
                      "importance": "important"
                    }
                  ]
                },
                {
                  "id": "T2",
                  "message": {"text": "T2"},
                  "locations": [
                    {
                      "location": {
                        "physicalLocation": {"artifactLocation": {"uri": "account.cc", "uriBaseId": "SRCROOT"}, "region": {"startLine": 14}},
                        "logicalLocations": [{"fullyQualifiedName": "Account::withdraw", "kind": "function"}],
                        "message": {"text": "write balance = 90 (T1 is interrupted, T2 runs)"}
                      },
                      "kinds": ["memory", "value"],
                      "executionOrder": 2,
                      "importance": "essential"
                    }
                  ]
                }
              ]
            }
          ],
          "properties": {
            "run": "Account.Withdraw",
            "schedule": ".jostle/a.schedule",
            "confirmed": true,
            "execution": 7
          }
        }
      ]
    }
  ]
}
)json");
}

TEST(Sarif, ADeadlockIsWhereAThreadWaits) {
  RunResults r = sample_run();
  r.root = "";
  r.findings = {reported(lock_cycle())};
  r.uncontrolled = {"a child process"};
  r.error = "the file is missing";
  const std::string text = to_sarif(std::vector{r});
  EXPECT_NE(text.find("\"executionSuccessful\": false"), std::string::npos) << text;
  EXPECT_NE(text.find("\"not controlled: a child process\""), std::string::npos) << text;
  // No message of its own: that of the kind. No root: an absolute URI.
  const std::string result = from(text, "\"ruleId\"");
  EXPECT_EQ(result.substr(0, result.find("          \"codeFlows")),
            R"json(          "ruleId": "deadlock",
          "ruleIndex": 3,
          "level": "error",
          "message": {"text": "threads wait for each other, or for something that cannot happen"},
          "locations": [
            {
              "physicalLocation": {"artifactLocation": {"uri": "file:///home/me/locks.cc"}, "region": {"startLine": 6}},
              "logicalLocations": [{"fullyQualifiedName": "first", "kind": "function"}]
            }
          ],
)json");
}

TEST(Sarif, NoRuns) { EXPECT_NE(to_sarif({}).find("\"results\": []"), std::string::npos); }

TEST(Sarif, StateOfTheBaseline) {
  RunResults r = sample_run();
  const auto has = [&](const std::string& what) {
    return to_sarif(std::vector{r}).find(what) != std::string::npos;
  };
  EXPECT_FALSE(has("baselineState"));
  r.findings[0].baseline = "new";
  EXPECT_TRUE(has("\"baselineState\": \"new\""));
  EXPECT_FALSE(has("suppressions"));
  r.findings[0].baseline = "added";
  EXPECT_TRUE(has("\"baselineState\": \"new\""));
  EXPECT_TRUE(has("\"suppressions\": [{\"kind\": \"external\"}]"));
  r.findings[0].baseline = "known";
  EXPECT_TRUE(has("\"baselineState\": \"unchanged\""));
  EXPECT_TRUE(has("\"suppressions\": [{\"kind\": \"external\"}]"));
}

}  // namespace
}  // namespace jostle::report
