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
                "DivanPlatform",
                "DivanSession",
                "DivanReplicator",
                "DivanStore",
                "DivanAuth",
                "DivanTransport",
                "DivanTLS",
                "DivanWebSocket",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanListenerTests",
            dependencies: [
                "DivanListener",
                "DivanTestKit",
                "DivanZlib",
                "DivanCrypto",
                "DivanLZ4",
                "DivanCompression",
                "DivanRevisions",
                "DivanPlatform",
                "DivanSession",
                "DivanReplicator",
                "DivanStore",
                "DivanAuth",
                "DivanTransport",
                "DivanTLS",
                "DivanWebSocket",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
