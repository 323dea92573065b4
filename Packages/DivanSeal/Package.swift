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
    name: "DivanSeal",
    products: [.library(name: "DivanSeal", targets: ["DivanSeal"])],
    dependencies: [.package(path: "../DivanPlatform"), .package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CDivanSeal", linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "DivanSeal",
            dependencies: ["CDivanSeal", "DivanPlatform"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSealTests",
            dependencies: ["DivanSeal", "DivanTestKit", "CDivanSeal", "DivanPlatform"],
            swiftSettings: strict
        ),
    ]
)
