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
    name: "DivanExchange",
    products: [.library(name: "DivanExchange", targets: ["DivanExchange"])],
    dependencies: [
        .package(path: "../CouchbaseLiteSwift"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanDatabase"),
        .package(path: "../DivanDelta"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanSQLite"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanZlib"),
        .package(path: "../DivanZstd"),
    ],
    targets: [
        .target(
            name: "DivanExchange",
            dependencies: [
                "CouchbaseLiteSwift",
                "DivanCompression",
                "DivanCrypto",
                "DivanDelta",
                "DivanJSON",
                "DivanLZ4",
                "DivanPlatform",
                "DivanQuery",
                "DivanRevisions",
                "DivanSQL",
                "DivanSQLite",
                "DivanDatabase",
                "DivanZlib",
                "DivanZstd",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanExchangeTests",
            dependencies: [
                "DivanExchange",
                "DivanTestKit",
                "CouchbaseLiteSwift",
                "DivanCompression",
                "DivanCrypto",
                "DivanDelta",
                "DivanJSON",
                "DivanLZ4",
                "DivanPlatform",
                "DivanQuery",
                "DivanRevisions",
                "DivanSQL",
                "DivanSQLite",
                "DivanDatabase",
                "DivanZlib",
                "DivanZstd",
            ],
            swiftSettings: strict
        ),
    ]
)
