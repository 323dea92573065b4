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
    name: "DivanPlatform",
    products: [.library(name: "DivanPlatform", targets: ["DivanPlatform"])],
    targets: [
        .target(name: "CDivanPlatform", linkerSettings: [.linkedLibrary("c")]),
        .target(name: "DivanPlatform", dependencies: ["CDivanPlatform"], swiftSettings: strict),
        .testTarget(
            name: "DivanPlatformTests",
            dependencies: ["DivanPlatform"],
            swiftSettings: strict
        ),
    ]
)
