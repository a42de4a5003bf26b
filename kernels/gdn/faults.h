#pragma once

// Seeded faults: mutants of these kernels that the gates must catch. A control (kernels/controls/negative)
// defines GDN_FAULT as one of the names before it includes run.cuh; everything else compiles to the right
// kernel. Each is one plausible slip, most of them made in some library before.

#ifndef GDN_FAULT
#define GDN_FAULT none
#endif

namespace assay::gdn {

enum class Fault {
  none,
  adjoint_keeps_bf16,        // D carried from chunk to chunk in bf16
  adjoint_undecayed,         // D passes a chunk without the chunk's decay
  beta_bf16,                 // strengths rounded to bf16 on load
  columns_dropped,           // dq and dk read the first 32 columns of the state only
  dbeta_of_value,            // dbeta = z.v, not z.(v - prediction)
  decay_mask_multiplied,     // decays above the diagonal computed, then multiplied by 0
  dg_atomic,                 // dg summed by atomics
  dg_differences,            // dg from row sums less column sums
  dg_laundered,              // a NaN in dg becomes 0
  diagonal_missing,          // a token's own contribution to dq
  empty_sequence_processed,  // the last chunk is taken before it is known that there is one
  erase_gradient_dropped,    // dk without what flows through the erase
  final_gradient_ignored,    // d_st is taken for zero
  gradient_in_input,         // d_st used as scratch
  group_not_summed,          // dq and dk of the last value head of a group only
  last_token_lost,           // dg of a partial chunk without what flows behind it
  narrow_offsets,            // offsets of score tiles in 16 bits
  neighbour_rows,            // rows past the end of a sequence multiplied by 0 instead of left out
  norm_projection_dropped,   // dx = dy / norm
  reset_ignored,             // a gate of -inf taken for 0
  scale_twice,               // dq times scale again
  scan_barrier_missing,      // none between z and the columns that read it
  solve_first_order,         // (I + L)^-1 taken for I - L
  solve_not_transposed,      // (I + L)^-1 where its transpose belongs
  state_keeps_bf16,          // S carried from chunk to chunk in bf16
  state_transposed,          // s0 read as vd x kd
  tail_decay_shifted,        // decay to the end of the chunk one token off
  tail_unwritten,            // rows of the padding tail left as they were
  whole_decay_of_full_chunk  // the decay of a partial chunk taken at its 64th token
};

template <Fault F>
constexpr bool seeded = F == Fault::GDN_FAULT;

}  // namespace assay::gdn
