#ifndef FATHOM_OPS_VEC_EXP_H_
#define FATHOM_OPS_VEC_EXP_H_

namespace fathom {

// exp of every lane: 2^n * exp(r) with x = n * ln 2 + r, |r| <= ln(2) / 2, and exp(r) from its
// Taylor polynomial of degree 7 (remainder 5e-9 of the value). Relative error below 2^-22. Inputs
// below -87 give 2^-126 or less, those above 88 stop at e^88: no infinities.
template <typename V>
typename V::Lanes Exp(typename V::Lanes x) {
  using Lanes = typename V::Lanes;
  const Lanes lowest = V::Broadcast(-87.0F);
  const Lanes highest = V::Broadcast(-88.0F);  // negated: there is no Min
  x = V::Max(x, lowest);
  x = V::Mul(V::Max(V::Mul(x, V::Broadcast(-1)), highest), V::Broadcast(-1));
  const Lanes magic = V::Broadcast(0x1.8p23F);  // adding it rounds to an integer
  const Lanes shifted = V::Fma(x, V::Broadcast(0x1.715476p0F), magic);
  const Lanes n = V::Add(shifted, V::Broadcast(-0x1.8p23F));
  // ln 2 in two parts, the first short enough for n * part to be exact.
  Lanes r = V::Fma(n, V::Broadcast(-0x1.62e4p-1F), x);
  r = V::Fma(n, V::Broadcast(-0x1.7f7d1cp-20F), r);
  constexpr float kTerms[] = {1.0F / 5040, 1.0F / 720, 1.0F / 120, 1.0F / 24,
                              1.0F / 6,    0.5F,       1.0F,       1.0F};
  Lanes sum = V::Broadcast(kTerms[0]);
  for (int i = 1; i < 8; ++i) sum = V::Fma(sum, r, V::Broadcast(kTerms[i]));
  return V::Mul(sum, V::Pow2(shifted));
}

}  // namespace fathom

#endif  // FATHOM_OPS_VEC_EXP_H_
