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
    name: "DivanLog",
    products: [.library(name: "DivanLog", targets: ["DivanLog"])],
    dependencies: [.package(path: "../DivanPlatform"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "DivanLog", dependencies: ["DivanPlatform"], swiftSettings: strict),
        .testTarget(
            name: "DivanLogTests",
            dependencies: ["DivanLog", "DivanTestKit", "DivanPlatform"],
            swiftSettings: strict
        ),
    ]
)
