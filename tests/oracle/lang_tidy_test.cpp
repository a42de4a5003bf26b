// `assay fmt`: one layout for every contract, with its comments.

#include <gtest/gtest.h>

#include <algorithm>

#include "core/text.h"
#include "oracle/contract.h"
#include "oracle/library.h"
#include "oracle/parser.h"
#include "oracle/printer.h"
#include "oracle/tidy.h"

namespace assay {
namespace {

std::string tidied(std::string_view text) {
  const auto result = lang::tidy(text, "a.contract");
  if (!result) ADD_FAILURE() << result.error().message;
  return *result;
}

std::vector<std::string> comments(std::string_view text) {
  std::vector<std::string> found;
  for (const std::string& line : split(text, '\n'))
    if (const std::size_t at = line.find('#'); at != std::string::npos)
      found.emplace_back(trim(std::string_view(line).substr(at)));
  return found;
}

TEST(Tidy, OneLayout) {
  EXPECT_EQ(tidied("\n\n# softmax\ncontract  f( n ,m ;eps=1e-5 )\n"
                   "\"a  summary\"   \n"
                   "input x [n,m] :float # data\n"
                   "    output y[ n,m ]: like x\n"
                   "where n>=1,m % 2==0 or not(n==3)\n\n\n"
                   "# the larger\n"
                   "    #of all\n"
                   "  mx[i]=max( x[i,j]for j<m if j!=2 )\n"
                   "  y [i,j] = - x[i,j]*( 1/2 )+x[i,j-1 else -inf]- mx[i]^ 2\n"
                   "   allow +inf,-0 in y [i,j] if x[i,j]>1\n"),
            "# softmax\n"
            "contract f(n, m; eps = 1e-5)\n"
            "  \"a  summary\"\n"
            "  input  x[n, m] : float # data\n"
            "  output y[n, m] : like x\n"
            "  where  n >= 1, m % 2 == 0 or not (n == 3)\n"
            "\n"
            "# the larger\n"
            "  #of all\n"
            "  mx[i]   = max(x[i, j] for j < m if j != 2)\n"
            "  y[i, j] = -x[i, j]*(1/2)+x[i, j-1 else -inf] - mx[i]^2\n"
            "  allow +inf, -0 in y[i, j] if x[i, j] > 1\n");
}

TEST(Tidy, KeepsTreesAndCommentsAndItsOwnWork) {
  for (const lang::LibraryText& entry : lang::library_texts()) {
    const std::string once = tidied(entry.text);
    EXPECT_EQ(tidied(once), once);
    EXPECT_EQ(comments(once), comments(entry.text));
    const auto before = lang::parse(entry.text, "a"), after = lang::parse(once, "a");
    ASSERT_TRUE(after) << once << after.error().message;
    ASSERT_EQ(before->size(), after->size());
    for (std::size_t i = 0; i < before->size(); ++i)
      EXPECT_EQ(lang::to_string((*before)[i]), lang::to_string((*after)[i]));
  }
}

TEST(Tidy, WhatDoesNotParseIsRefused) {
  const auto result = lang::tidy("contract f(n)\n  input x[n] = 3\n", "a.contract");
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("a.contract:2:14"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace assay
