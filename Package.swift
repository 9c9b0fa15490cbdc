// swift-tools-version: 6.2
import PackageDescription

/// A new spelling of a name must not break a build that worked; a warning in our own code must.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

// Arrows point down only: a target depends on targets listed below it.
let package = Package(
  name: "cairn",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "cairn", targets: ["CairnCLI"]),
    .library(name: "Cairn", targets: ["Cairn"]),
    .library(name: "CairnDocument", targets: ["CairnDocument"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    // The types of Hummingbird's interface.
    .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
    .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.2"),
    .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log.git", from: "1.14.0"),
  ],
  targets: [
    .executableTarget(
      name: "CairnCLI",
      dependencies: [
        "LibC",
        "CairnServer", "Cairn", "CairnTerminal", "CairnProcess", "CairnFiles", "CairnBase",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnServer",
      dependencies: [
        "Cairn", "CPage", "CairnFiles", "CairnBase", "LibC",
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "HummingbirdTLS", package: "hummingbird"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOSSL", package: "swift-nio-ssl"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["API.md", "Page", "openapi.json"],
      swiftSettings: strict),
    .target(
      name: "Cairn",
      dependencies: [
        "CairnSync", "CairnIndex", "CairnPhotos", "CairnFormats", "CairnMetrics",
        "CairnTransport", "CairnReview", "CairnSources", "CairnLabelers", "CairnTraining", "LibC",
        "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnSync",
      dependencies: [
        "LibC", "CairnImages", "CairnTransport", "CairnStore", "CairnGit", "CairnMerge",
        "CairnBase",
      ],
      swiftSettings: strict),
    .target(
      name: "CairnIndex",
      dependencies: [
        "LibC", "CairnMerge", "CairnMetrics", "CairnBase",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnSources",
      dependencies: [
        "LibC", "CairnDocument", "CairnFiles", "CairnHTTP", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnLabelers",
      dependencies: [
        "LibC", "COnnxRuntime", "CairnTraining", "CairnPhotos", "CairnProcess", "CairnDocument",
        "CairnFiles", "CairnHTTP", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnReview", dependencies: ["CairnDocument", "CairnMerge"], swiftSettings: strict),
    .target(
      name: "CairnTraining", dependencies: ["CTraining", "CairnBase"], swiftSettings: strict),
    .target(name: "CairnTerminal", dependencies: ["LibC"], swiftSettings: strict),
    .target(
      name: "CairnPhotos",
      dependencies: [
        "CairnDocument", "LibC", "CDeflate", "CTurboJPEG", "CPNG", "CWebP", "CHeif", "CTIFF",
        "CExiv2",
        "CairnBase",
      ],
      swiftSettings: strict),
    .target(
      name: "CairnImages",
      dependencies: [
        "LibC", "CairnStore", "CairnTransport", "CairnProcess", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnStore",
      dependencies: [
        "LibC", "CDeflate",
        "CairnDocument", "CairnFiles",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnTransport",
      dependencies: [
        "LibC", "CairnFiles", "CairnGit", "CairnProcess", "CairnHTTP", "CairnBase",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnFormats",
      dependencies: [
        "LibC", "CDeflate", "CPNG", "CairnDocument", "CairnFiles", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "Yams", package: "Yams"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnMerge",
      dependencies: ["CairnDocument", "CairnMetrics", "CairnBase"],
      swiftSettings: strict),
    .target(name: "CairnMetrics", dependencies: ["LibC", "CairnBase"], swiftSettings: strict),
    .target(
      name: "CairnGit",
      dependencies: [
        "LibC",
        "CLibgit2", "CNoCertificates", "CDeflate", "CairnProcess", "CairnFiles", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnProcess",
      dependencies: [
        "LibC", "CSpawn", "CairnFiles", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnDocument",
      dependencies: ["CairnBase", .product(name: "Crypto", package: "swift-crypto")],
      swiftSettings: strict),
    .target(
      name: "CairnFiles",
      dependencies: [
        "LibC", "CFiles", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(
      name: "CairnHTTP",
      dependencies: [
        "LibC", "CCurl", "CairnBase", .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .target(name: "CairnBase", dependencies: ["LibC"], swiftSettings: strict),
    .target(name: "LibC", swiftSettings: strict),
    .target(name: "CFiles"),
    .target(name: "CNoCertificates"),
    // Embeds the page and the base map with `#embed`.
    .target(name: "CPage", exclude: ["base-map.bin", "base-map.md"]),
    .target(name: "CSpawn"),
    // Embeds the codebook of features with `#embed`.
    .target(name: "CTraining", exclude: ["codebook.bin", "codebook.md"]),
    .target(name: "CCurl"),
    .target(name: "CHeif", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "CTIFF", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
    .target(name: "COnnxRuntime"),
    .target(
      name: "CExiv2", dependencies: ["Exiv2Library"], linkerSettings: [.linkedLibrary("exiv2")]),
    .target(
      name: "CPNG", dependencies: ["PNGLibrary"], linkerSettings: [.linkedLibrary("png16")]),
    .systemLibrary(
      name: "CLibgit2", pkgConfig: "libgit2",
      providers: [.apt(["libgit2-dev"]), .brew(["libgit2"])]),
    .systemLibrary(
      name: "CDeflate", pkgConfig: "libdeflate",
      providers: [.apt(["libdeflate-dev"]), .brew(["libdeflate"])]),
    .systemLibrary(
      name: "Exiv2Library", pkgConfig: "exiv2",
      providers: [.apt(["libexiv2-dev"]), .brew(["exiv2"])]),
    .systemLibrary(
      name: "CTurboJPEG", pkgConfig: "libturbojpeg",
      providers: [.apt(["libturbojpeg0-dev"]), .brew(["jpeg-turbo"])]),
    .systemLibrary(
      name: "PNGLibrary", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
    .systemLibrary(
      name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
    .target(
      name: "Simulation",
      dependencies: [
        "CairnSync", .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Simulation", swiftSettings: strict),
    .executableTarget(
      name: "simulate", dependencies: ["Simulation"], path: "Tests/Simulate",
      swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["Simulation", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CairnBaseTests", dependencies: ["CairnBase", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CairnDocumentTests", dependencies: ["CairnDocument", "TestSupport", "CairnBase"],
      exclude: ["Corpus"],
      swiftSettings: strict),
    .testTarget(
      name: "CairnFormatsTests",
      dependencies: [
        "CairnFormats", "TestSupport", "CairnBase",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnMergeTests", dependencies: ["CairnMerge", "TestSupport", "CairnBase"],
      swiftSettings: strict),
    .testTarget(
      name: "CairnIndexTests",
      dependencies: [
        "CairnIndex", "CairnReview", "TestSupport", "CairnBase",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      swiftSettings: strict),
    // The targets of `make fuzz`, which give the corpus to the readers here.
    .testTarget(
      name: "FuzzTests",
      dependencies: [
        "Cairn", "CairnSources", "CairnImages", "CairnLabelers", "CairnTraining", "CairnPhotos",
        "CairnTransport", "CairnStore", "CairnFormats", "CairnMerge", "CairnGit", "CairnProcess",
        "CairnSync", "CairnDocument", "CairnFiles", "CairnHTTP", "CairnBase",
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Tests/Fuzz/Sources/Fuzz", exclude: ["LibFuzzer.swift"]),
    .testTarget(
      name: "CairnMetricsTests", dependencies: ["CairnMetrics", "TestSupport", "CairnBase"],
      exclude: ["oracle.py"],
      swiftSettings: strict),
    .testTarget(
      name: "CairnTrainingTests",
      dependencies: [
        "CairnTraining", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["oracle.py"], swiftSettings: strict),
    .testTarget(
      name: "CairnReviewTests", dependencies: ["CairnReview", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CairnTerminalTests",
      dependencies: [
        "CairnTerminal", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnPhotosTests", dependencies: ["CairnPhotos", "TestSupport", "CairnBase"],
      exclude: ["Metadata/metadata.py", "Pixels/pixels.py"], swiftSettings: strict),
    .testTarget(
      name: "DescriptionTests", dependencies: ["Cairn", "TestSupport", "CairnBase"],
      swiftSettings: strict),
    // Tests the API as another package sees it.
    .testTarget(
      name: "CairnTests", dependencies: ["Cairn"], packageAccess: false, swiftSettings: strict),
    .testTarget(
      name: "DocumentConsumerTests", dependencies: ["CairnDocument"], packageAccess: false,
      swiftSettings: strict),
    .testTarget(
      name: "CairnLibraryTests",
      dependencies: [
        "Cairn", "CairnPhotos", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["augmentation.py"], swiftSettings: strict),
    .testTarget(
      name: "CairnSourcesTests",
      dependencies: [
        "CairnSources", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnHTTPTests", dependencies: ["CairnHTTP", "TestSupport"], exclude: ["server.py"],
      swiftSettings: strict),
    .testTarget(
      name: "CairnGitTests", dependencies: ["CairnGit", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CairnProcessTests",
      dependencies: [
        "CairnProcess", "TestSupport",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnSyncTests", dependencies: ["CairnSync", "TestSupport"], swiftSettings: strict),
    .target(
      name: "TestSupport",
      dependencies: [
        "CairnGit", "CairnFiles", "CairnProcess",
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Tests/Support", exclude: ["Programs"], swiftSettings: strict),
    .testTarget(
      name: "CairnImagesTests",
      dependencies: ["CairnImages", "CairnHTTP", "CairnProcess", "TestSupport", "CairnBase"],
      exclude: ["Programs"], swiftSettings: strict),
    .testTarget(
      name: "CairnTransportTests",
      dependencies: [
        "Cairn", "CairnSync", "CairnTransport", "CairnHTTP", "CairnGit", "CairnFiles",
        "CairnProcess",
        "TestSupport", "CairnBase",
        .target(name: "CairnCLI"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnCLITests",
      dependencies: [
        "Cairn", "CairnDocument", "TestSupport", "CairnBase",
        .target(name: "CairnCLI"),
      ],
      exclude: [
        "Metrics/box_oracle.py", "Metrics/metrics_oracle.py", "Training/embedding.py",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnLabelersTests",
      dependencies: [
        "CairnLabelers", "CairnPhotos", "CairnDocument", "TestSupport", "CairnBase",
        .target(name: "CairnCLI"),
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      exclude: ["Programs"], swiftSettings: strict),
    .testTarget(
      name: "CairnServerTests",
      dependencies: [
        "CairnServer", "Cairn", "CairnStore", "CairnFiles", "CairnDocument", "CairnTerminal",
        "TestSupport",
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "CairnStoreTests", dependencies: ["CairnStore", "TestSupport"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .gnucxx14
)
