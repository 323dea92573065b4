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
    name: "DivanCrypto",
    products: [.library(name: "DivanCrypto", targets: ["DivanCrypto"])],
    dependencies: [.package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CDivanCrypto", linkerSettings: [.linkedLibrary("crypto")]),
        .target(name: "DivanCrypto", dependencies: ["CDivanCrypto"], swiftSettings: strict),
        .testTarget(
            name: "DivanCryptoTests",
            dependencies: ["DivanCrypto", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
