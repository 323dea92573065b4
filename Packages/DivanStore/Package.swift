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
    name: "DivanStore",
    products: [.library(name: "DivanStore", targets: ["DivanStore"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanMemoryEngine"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSealedFields"),
        .package(path: "../DivanStorage"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanStore",
            dependencies: [
                "DivanStorage",
                "DivanMemoryEngine",
                "DivanPlatform",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanSealedFields",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanStoreTests",
            dependencies: [
                "DivanStore",
                "DivanTestKit",
                "DivanStorage",
                "DivanMemoryEngine",
                "DivanPlatform",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanSealedFields",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
