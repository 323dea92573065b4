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
                "DivanTransport", "DivanTestKit", "DivanPlatform", "DivanCrypto", "DivanWebSocket",
                "DivanHTTP", "DivanTLS", "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
