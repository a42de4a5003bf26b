#pragma once

// The sharp tier: how far honest kernels scatter about the truth, by Monte-Carlo arithmetic.
//
// The chunk form runs in double with an independent random perturbation, of the size of the rounding that the
// manifest declares, at every site; the root mean square of the deviations is sigma, element by element. An
// honest kernel's errors are a draw of the same kind: |error| <= 8 sigma everywhere, and the root mean square
// of error / sigma over a chunk of an output of 512 elements or more is at most 1.2 times the largest of the
// samples there, which is about 1 unless the errors of the chunk move together.
//
// Statistical: what exceeds it is suspect, never refused. It sees what a fixed relative norm of 2 % does not:
// one wrong row, one stale tile, a gate gradient by differences.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "oracle/gdn/models.h"

namespace assay::gdn {

constexpr int kSamples = 16;
constexpr double kWorstSigma = 8;
constexpr double kChunkSigma = 1.2;
constexpr std::int64_t kChunkElements = 512;

struct Spread {
  // Of every element, floored at a quarter of its row's (of the head's median where rows are numbers), so
  // that a small estimate by luck accuses nobody.
  Results sigma;
  // By output, a number for each of tiles(): the largest root mean square of deviation / sigma of the
  // samples.
  std::map<std::string, std::vector<double>> tile;
};
Spread spread(const Problem& problem, Leaf leaf, const Results& truth, std::uint64_t seed,
              int samples = kSamples);

// One output of a kernel against the truth.
struct OutputScore {
  std::string output;
  double worst = 0;        // largest |error| / sigma
  std::int64_t index = 0;  // where, row-major
  double chunk = 0;        // largest root mean square over a chunk of one head, against the samples'
  double relative = 0;     // |error| / |truth|, 2-norms over the output
  double chunk_relative =
      0;               // the largest of a chunk of one head, against the root mean square of all chunks
  bool finite = true;  // no NaN or infinity where the truth has none
  bool suspect() const { return !finite || worst > kWorstSigma || chunk > kChunkSigma; }
};

// Of all outputs that both hold.
std::vector<OutputScore> score(const Problem& problem, const Results& got, const Results& truth,
                               const Spread& spread);
bool suspect(const std::vector<OutputScore>& scores);

// The tiles that outputs are judged by: the elements of 64 tokens of one head (of one state).
struct Tile {
  std::int64_t sequence = 0, head = 0, chunk = 0;
  std::vector<std::int64_t> elements;  // row-major, in the order of tokens
  std::int64_t width = 1;              // elements of a row
};
std::vector<Tile> tiles(const Problem& problem, const std::string& output);

// Raises what is below a quarter of its row's root mean square (of the head's median where rows are numbers).
void floor_rows(std::vector<double>& sigma, const Problem& problem, const std::string& output);

// Of the forward, and of the backward where the problem has gradients.
std::vector<Named> all_outputs(const Problem& problem);

}  // namespace assay::gdn
