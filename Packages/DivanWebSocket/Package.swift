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
    name: "DivanWebSocket",
    products: [.library(name: "DivanWebSocket", targets: ["DivanWebSocket"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanWebSocket",
            dependencies: ["DivanHTTP", "DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanWebSocketTests",
            dependencies: ["DivanWebSocket", "DivanTestKit", "DivanHTTP", "DivanCrypto"],
            swiftSettings: strict
        ),
    ]
)
