import CairnMerge

/// Returns the first join law that `values` break, with the values, or nil.
///
/// Checks every value, every pair and every triple, so pass few of them.
func checkJoinLaws<Value: Joinable>(_ values: [Value]) -> String? {
  for a in values where a.joined(with: a) != a { return "not idempotent: \(a)" }
  for a in values {
    for b in values {
      let joined = a.joined(with: b)
      if joined != b.joined(with: a) { return "not commutative: \(a), \(b)" }
      // Repeating a merge changes nothing.
      if joined.joined(with: a) != joined || joined.joined(with: joined) != joined {
        return "not absorbing: \(a), \(b)"
      }
    }
  }
  for a in values {
    for b in values {
      let ab = a.joined(with: b)
      for c in values where ab.joined(with: c) != a.joined(with: b.joined(with: c)) {
        return "not associative: \(a), \(b), \(c)"
      }
    }
  }
  return nil
}
