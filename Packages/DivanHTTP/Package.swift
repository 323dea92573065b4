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
    name: "DivanHTTP",
    products: [.library(name: "DivanHTTP", targets: ["DivanHTTP"])],
    dependencies: [.package(path: "../DivanPlatform"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "DivanHTTP", dependencies: ["DivanPlatform"], swiftSettings: strict),
        .testTarget(
            name: "DivanHTTPTests",
            dependencies: ["DivanHTTP", "DivanTestKit", "DivanPlatform"],
            swiftSettings: strict
        ),
    ]
)
