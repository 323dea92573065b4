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
    name: "DivanMeshPeer",
    products: [.library(name: "DivanMeshPeer", targets: ["DivanMeshPeer"])],
    dependencies: [
        .package(path: "../DivanConflicts"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDiscovery"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanMesh"),
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
            name: "DivanMeshPeer",
            dependencies: [
                "DivanPlatform",
                "DivanMesh",
                "DivanDiscovery",
                "DivanSession",
                "DivanReplicator",
                "DivanConflicts",
                "DivanStore",
                "DivanRevisions",
                "DivanTransport",
                "DivanTLS",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanZlib",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanMeshPeerTests",
            dependencies: [
                "DivanMeshPeer",
                "DivanTestKit",
                "DivanPlatform",
                "DivanMesh",
                "DivanDiscovery",
                "DivanSession",
                "DivanReplicator",
                "DivanConflicts",
                "DivanStore",
                "DivanRevisions",
                "DivanTransport",
                "DivanTLS",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanZlib",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
