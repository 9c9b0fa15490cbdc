// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that only `make fuzz` builds it for libFuzzer. It has no main function:
// `--sanitize fuzzer` links the one of libFuzzer. The tests of cairn have the same targets.
let package = Package(
  name: "Fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "cairn", path: "../.."),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
  ],
  targets: [
    .executableTarget(
      name: "Fuzz",
      dependencies: [
        .product(name: "Cairn", package: "cairn"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["CorpusTests.swift"])
  ],
  swiftLanguageModes: [.v6]
)
