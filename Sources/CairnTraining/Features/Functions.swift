internal import CTraining

/// Returns the exponential function, with the same last digit on every machine.
package func deterministicExp(_ value: Double) -> Double { ctraining_exp(value) }

/// Returns the natural logarithm, with the same last digit on every machine.
package func deterministicLog(_ value: Double) -> Double { ctraining_log(value) }
