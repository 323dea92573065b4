// swift-tools-version: 6.2
// Generated from the manifest of the repository by `make generate`.
import PackageDescription

let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "DivanZstd",
    products: [.library(name: "DivanZstd", targets: ["DivanZstd"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "CDivanZstd", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "DivanZstd",
            dependencies: ["CDivanZstd", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanZstdTests",
            dependencies: ["DivanZstd", "DivanTestKit", "DivanPlatform", "DivanCompression"],
            swiftSettings: strict
        ),
    ]
)
