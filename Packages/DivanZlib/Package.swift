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
    name: "DivanZlib",
    products: [.library(name: "DivanZlib", targets: ["DivanZlib"])],
    dependencies: [.package(path: "../DivanCompression"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CDivanZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "DivanZlib",
            dependencies: ["CDivanZlib", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanZlibTests",
            dependencies: ["DivanZlib", "DivanTestKit", "DivanCompression"],
            swiftSettings: strict
        ),
    ]
)
