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
    name: "DivanStorage",
    products: [.library(name: "DivanStorage", targets: ["DivanStorage"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanVectors"),
    ],
    targets: [
        .target(
            name: "DivanStorage",
            dependencies: [
                "DivanPlatform",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCompression",
                "DivanCrypto",
                "DivanQuery",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanStorageTests",
            dependencies: [
                "DivanStorage",
                "DivanTestKit",
                "DivanPlatform",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCompression",
                "DivanCrypto",
                "DivanQuery",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
