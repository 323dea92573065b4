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
    name: "DivanSession",
    products: [.library(name: "DivanSession", targets: ["DivanSession"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanConflicts"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanReplicator"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSimulation"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
        .package(path: "../DivanWebSocket"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanSession",
            dependencies: [
                "DivanPlatform",
                "DivanReplicator",
                "DivanTransport",
                "DivanStore",
                "DivanConflicts",
                "DivanRevisions",
                "DivanCompression",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSessionTests",
            dependencies: [
                "DivanSession",
                "DivanTestKit",
                "DivanDatabase",
                "DivanSimulation",
                "DivanZlib",
                "DivanCrypto",
                "DivanPlatform",
                "DivanReplicator",
                "DivanTransport",
                "DivanStore",
                "DivanConflicts",
                "DivanRevisions",
                "DivanCompression",
                "DivanWebSocket",
                "DivanHTTP",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
