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
    name: "DivanTransport",
    products: [.library(name: "DivanTransport", targets: ["DivanTransport"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanWebSocket"),
    ],
    targets: [
        .target(
            name: "DivanTransport",
            dependencies: ["DivanPlatform", "DivanWebSocket", "DivanHTTP", "DivanTLS", "DivanLog"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTransportTests",
            dependencies: [
                "DivanTransport",
                "DivanTestKit",
                "DivanCrypto",
                "DivanPlatform",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanTLS",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
