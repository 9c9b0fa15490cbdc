// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that only `make bench` builds and runs it.
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
    // A tiny C program: a child's peak memory starts at the memory of its parent.
    .executableTarget(name: "measure"),
  ],
  swiftLanguageModes: [.v6]
)
