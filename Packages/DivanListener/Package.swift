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
    name: "DivanListener",
    products: [.library(name: "DivanListener", targets: ["DivanListener"])],
    dependencies: [
        .package(path: "../DivanAuth"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanReplicator"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSession"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
        .package(path: "../DivanWebSocket"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanListener",
            dependencies: [
                "DivanPlatform", "DivanSession", "DivanReplicator", "DivanStore", "DivanAuth",
                "DivanTransport", "DivanTLS", "DivanWebSocket", "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanListenerTests",
            dependencies: [
                "DivanListener", "DivanTestKit", "DivanPlatform", "DivanZlib", "DivanCrypto",
                "DivanLZ4", "DivanCompression", "DivanRevisions", "DivanSession", "DivanReplicator",
                "DivanStore", "DivanAuth", "DivanTransport", "DivanTLS", "DivanWebSocket",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
