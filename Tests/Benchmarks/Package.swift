// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that nobody builds or runs it but `make bench`.
let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  targets: [
    .executableTarget(name: "Benchmarks")
  ],
  swiftLanguageModes: [.v6]
)
