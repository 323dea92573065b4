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
    name: "DivanTLS",
    products: [.library(name: "DivanTLS", targets: ["DivanTLS"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanTLS",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
        ),
        .target(
            name: "DivanTLS",
            dependencies: ["CDivanTLS", "DivanPlatform", "DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTLSTests",
            dependencies: ["DivanTLS", "DivanTestKit", "DivanPlatform", "DivanCrypto"],
            swiftSettings: strict
        ),
    ]
)
