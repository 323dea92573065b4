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
    name: "DivanTestKit",
    products: [.library(name: "DivanTestKit", targets: ["DivanTestKit"])],
    dependencies: [.package(path: "../DivanPlatform")],
    targets: [
        .target(name: "DivanTestKit", dependencies: ["DivanPlatform"], swiftSettings: strict),
        .testTarget(
            name: "DivanTestKitTests",
            dependencies: ["DivanTestKit", "DivanPlatform"],
            swiftSettings: strict
        ),
    ]
)
