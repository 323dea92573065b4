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
    name: "DivanLZ4",
    products: [.library(name: "DivanLZ4", targets: ["DivanLZ4"])],
    dependencies: [.package(path: "../DivanCompression"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CDivanLZ4", linkerSettings: [.linkedLibrary("lz4")]),
        .target(
            name: "DivanLZ4",
            dependencies: ["CDivanLZ4", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanLZ4Tests",
            dependencies: ["DivanLZ4", "DivanTestKit", "DivanCompression"],
            swiftSettings: strict
        ),
    ]
)
