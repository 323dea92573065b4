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
    name: "DivanReplicator",
    products: [.library(name: "DivanReplicator", targets: ["DivanReplicator"])],
    dependencies: [
        .package(path: "../DivanBLIP"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSealedFields"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanReplicator",
            dependencies: [
                "DivanStore",
                "DivanBLIP",
                "DivanRevisions",
                "DivanSealedFields",
                "DivanDelta",
                "DivanJSON",
                "DivanCompression",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanReplicatorTests",
            dependencies: [
                "DivanReplicator",
                "DivanTestKit",
                "DivanDatabase",
                "DivanQuery",
                "DivanZlib",
                "DivanPlatform",
                "DivanStore",
                "DivanBLIP",
                "DivanRevisions",
                "DivanSealedFields",
                "DivanDelta",
                "DivanJSON",
                "DivanCompression",
                "DivanCrypto",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
