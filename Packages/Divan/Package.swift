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
        .package(path: "../DivanCompression"),
        .package(path: "../DivanConflicts"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanFullText"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanListener"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanQuery"),
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
            name: "Divan",
            dependencies: [
                "DivanListener",
                "DivanSession",
                "DivanReplicator",
                "DivanConflicts",
                "DivanStore",
                "DivanQuery",
                "DivanFullText",
                "DivanTransport",
                "DivanAuth",
                "DivanTLS",
                "DivanWebSocket",
                "DivanBLIP",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanZlib",
                "DivanLZ4",
                "DivanCompression",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanTests",
            dependencies: [
                "Divan",
                "DivanTestKit",
                "DivanListener",
                "DivanSession",
                "DivanReplicator",
                "DivanConflicts",
                "DivanStore",
                "DivanQuery",
                "DivanFullText",
                "DivanTransport",
                "DivanAuth",
                "DivanTLS",
                "DivanWebSocket",
                "DivanBLIP",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanZlib",
                "DivanLZ4",
                "DivanCompression",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
