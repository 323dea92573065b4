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
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanTLS",
            linkerSettings: [.linkedLibrary("ssl"), .linkedLibrary("crypto")]
        ),
        .target(
            name: "DivanTLS",
            dependencies: ["CDivanTLS", "DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTLSTests",
            dependencies: ["DivanTLS", "DivanTestKit", "DivanCrypto"],
            swiftSettings: strict
        ),
    ]
)
