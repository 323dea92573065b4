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
        .package(path: "../DivanFullText"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanMemoryEngine"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanSQLite"),
        .package(path: "../DivanSQLiteEngine"),
        .package(path: "../DivanSeal"),
        .package(path: "../DivanSealedFields"),
        .package(path: "../DivanStorage"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanVectors"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "CDivanStoreFaults",
            path: "Tests/CDivanStoreFaults",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        .target(
            name: "DivanStore",
            dependencies: [
                "DivanStorage",
                "DivanMemoryEngine",
                "DivanSQLiteEngine",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanQuery",
                "DivanSealedFields",
                "DivanSQL",
                "DivanFullText",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanStoreTests",
            dependencies: [
                "DivanStore",
                "DivanTestKit",
                "CDivanStoreFaults",
                "DivanSeal",
                "DivanZlib",
                "DivanLZ4",
                "DivanStorage",
                "DivanMemoryEngine",
                "DivanSQLiteEngine",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanQuery",
                "DivanSealedFields",
                "DivanSQL",
                "DivanFullText",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
