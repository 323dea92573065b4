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
    name: "Divan",
    products: [.library(name: "Divan", targets: ["Divan"])],
    dependencies: [
        .package(path: "../DivanAuth"),
        .package(path: "../DivanBLIP"),
        .package(path: "../DivanCBLite"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanConflicts"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanDiscovery"),
        .package(path: "../DivanFullText"),
        .package(path: "../DivanISAL"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanListener"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanReplicator"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanSeal"),
        .package(path: "../DivanSealedFields"),
        .package(path: "../DivanSession"),
        .package(path: "../DivanStatus"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTLS"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
        .package(path: "../DivanWebSocket"),
        .package(path: "../DivanZlib"),
        .package(path: "../DivanZstd"),
    ],
    targets: [
        .target(
            name: "Divan",
            dependencies: [
                "DivanPlatform", "DivanListener", "DivanSession", "DivanReplicator",
                "DivanConflicts", "DivanCBLite", "DivanStore", "DivanSeal", "DivanSealedFields",
                "DivanQuery", "DivanSQL", "DivanFullText", "DivanTransport", "DivanAuth",
                "DivanTLS", "DivanWebSocket", "DivanBLIP", "DivanRevisions", "DivanDelta",
                "DivanJSON", "DivanCrypto", "DivanZlib", "DivanISAL", "DivanLZ4", "DivanZstd",
                "DivanCompression", "DivanStatus", "DivanLog", "DivanDiscovery",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTests",
            dependencies: [
                "Divan", "DivanTestKit", "DivanPlatform", "DivanListener", "DivanSession",
                "DivanReplicator", "DivanConflicts", "DivanCBLite", "DivanStore", "DivanSeal",
                "DivanSealedFields", "DivanQuery", "DivanSQL", "DivanFullText",
                "DivanTransport", "DivanAuth", "DivanTLS", "DivanWebSocket", "DivanBLIP",
                "DivanRevisions", "DivanDelta", "DivanJSON", "DivanCrypto", "DivanZlib",
                "DivanISAL", "DivanLZ4", "DivanZstd", "DivanCompression", "DivanStatus", "DivanLog",
                "DivanDiscovery",
            ],
            swiftSettings: strict
        ),
    ]
)
