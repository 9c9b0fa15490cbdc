// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody builds or runs it but `make bench`.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "measure", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    // In C and tiny: a child's peak memory begins at what its parent held when it started.
    .executableTarget(name: "measure"),
  ],
  swiftLanguageModes: [.v6]
)
