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
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanWebSocket"),
    ],
    targets: [
        .target(name: "CDivanTransport", linkerSettings: [.linkedLibrary("c")]),
        .target(
            name: "DivanTransport",
            dependencies: [
                "CDivanTransport", "DivanWebSocket", "DivanHTTP", "DivanTLS", "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTransportTests",
            dependencies: [
                "DivanTransport",
                "DivanTestKit",
                "DivanCrypto",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanTLS",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
