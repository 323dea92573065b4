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
    name: "DivanCrypto",
    products: [.library(name: "DivanCrypto", targets: ["DivanCrypto"])],
    dependencies: [
        .package(path: "../DivanTestKit")
    ],
    targets: [
        .target(name: "CDivanCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "DivanCrypto",
            dependencies: ["CDivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanCryptoTests",
            dependencies: ["DivanCrypto", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
