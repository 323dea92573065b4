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
