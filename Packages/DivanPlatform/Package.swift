// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
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
