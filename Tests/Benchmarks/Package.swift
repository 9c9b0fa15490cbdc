// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody builds or runs it but `make bench`.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "cairn", path: "../.."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "Benchmarks",
      dependencies: [
        "measure", .product(name: "Cairn", package: "cairn"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ]),
    // In C and tiny: a child's peak memory begins at what its parent held when it started.
    .executableTarget(name: "measure"),
  ],
  swiftLanguageModes: [.v6]
)
