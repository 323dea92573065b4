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
    name: "DivanDatabase",
    products: [.library(name: "DivanDatabase", targets: ["DivanDatabase"])],
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
        .package(path: "../DivanSealedSQLite"),
        .package(path: "../DivanStorage"),
        .package(path: "../DivanStore"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanVectors"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "CDivanDatabaseFaults",
            path: "Tests/CDivanDatabaseFaults",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        .target(
            name: "DivanDatabase",
            dependencies: [
                "DivanStore",
                "DivanSQLiteEngine",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanQuery",
                "DivanSQL",
                "DivanFullText",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanDatabaseTests",
            dependencies: [
                "DivanDatabase",
                "DivanTestKit",
                "CDivanDatabaseFaults",
                "DivanStorage",
                "DivanMemoryEngine",
                "DivanSealedFields",
                "DivanSealedSQLite",
                "DivanSeal",
                "DivanZlib",
                "DivanLZ4",
                "DivanStore",
                "DivanSQLiteEngine",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanDelta",
                "DivanJSON",
                "DivanCrypto",
                "DivanQuery",
                "DivanSQL",
                "DivanFullText",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
