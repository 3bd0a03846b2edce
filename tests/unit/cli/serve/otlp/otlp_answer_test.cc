// Tests the responses of collectors, including hostile ones.

#include <gtest/gtest.h>

#include "cli/serve/otlp/otlp_message.h"

namespace traced {
namespace {

// Tuesday, 29 Jul 2025 12:00:00 GMT.
constexpr std::int64_t kNow = 1753790400;

OtlpAnswer meaningOf(unsigned status, const std::string& body,
                     const std::string& retry_after = "") {
  return otlpAnswer(HttpAnswer{status, "Reason", retry_after, body}, kNow);
}

TEST(OtlpAnswerTest, SuccessIsAcceptedWithAnyBody) {
  for (const char* body :
       {"", "{}", "\x0a\x02", "[1]", "\"x\"", "{\"partialSuccess\":null}",
        "{\"partialSuccess\":{\"rejectedDataPoints\":-1}}",
        "{\"partialSuccess\":{\"errorMessage\":[]}}"}) {
    const OtlpAnswer answer = meaningOf(200, body);
    EXPECT_TRUE(answer.is_taken) << body;
    EXPECT_EQ(answer.refused_points, 0) << body;
    EXPECT_EQ(answer.problem, "") << body;
  }
}

TEST(OtlpAnswerTest, ReportsRejectedPartsWithoutResending) {
  for (const char* count : {"\"3\"", "3"}) {
    const OtlpAnswer answer = meaningOf(
        200, std::string("{\"partialSuccess\":{\"rejectedDataPoints\":") +
                 count + ",\"errorMessage\":\"too\\u001b old\"}}");
    EXPECT_TRUE(answer.is_taken);
    EXPECT_EQ(answer.refused_points, 3);
    EXPECT_EQ(answer.problem, "the collector refused 3 data points: too? old");
  }
}

TEST(OtlpAnswerTest, AWarningRefusesNothing) {
  const OtlpAnswer answer =
      meaningOf(200, "{\"partialSuccess\":{\"errorMessage\":\"soon\"}}");
  EXPECT_EQ(answer.problem, "soon");
  EXPECT_EQ(answer.refused_points, 0);
}

TEST(OtlpAnswerTest, ReportsBoundedErrorTextsOfTheCollector) {
  EXPECT_EQ(meaningOf(404, "<html>").problem,
            "the collector answered 404 Reason");
  EXPECT_EQ(meaningOf(400, "{\"code\":3,\"message\":\"no unit\"}").problem,
            "the collector answered 400 no unit");
  const std::string much(10'000, 'x');
  EXPECT_LT(meaningOf(400, "{\"message\":\"" + much + "\"}").problem.size(),
            300);
  EXPECT_EQ(otlpAnswer(Error{"Connection refused"}, kNow).problem,
            "Connection refused");
}

TEST(OtlpAnswerTest, RetryTimes) {
  using std::chrono::seconds;
  EXPECT_EQ(meaningOf(503, "", "7").retry_after, seconds(7));
  EXPECT_EQ(meaningOf(429, "", "99999999").retry_after, seconds(300));
  EXPECT_EQ(meaningOf(502, "", "-5").retry_after, seconds(0));
  EXPECT_EQ(meaningOf(504, "", "Tue, 29 Jul 2025 12:01:00 GMT").retry_after,
            seconds(60));
  EXPECT_EQ(meaningOf(503, "", "Tue, 29 Jul 2025 11:00:00 GMT").retry_after,
            seconds(0));
  for (const char* nonsense : {"", "soon", "7 s", "Tue, 29 Jul 2025"}) {
    EXPECT_FALSE(meaningOf(503, "", nonsense).retry_after) << nonsense;
  }
  EXPECT_FALSE(meaningOf(500, "", "7").retry_after);
}

}  // namespace
}  // namespace traced
