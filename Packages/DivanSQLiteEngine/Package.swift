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
    name: "DivanSQLiteEngine",
    products: [.library(name: "DivanSQLiteEngine", targets: ["DivanSQLiteEngine"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanFullText"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanSQL"),
        .package(path: "../DivanSQLite"),
        .package(path: "../DivanSeal"),
        .package(path: "../DivanSealedSQLite"),
        .package(path: "../DivanStorage"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanVectors"),
    ],
    targets: [
        .target(name: "CDivanSQLiteEngine", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "DivanSQLiteEngine",
            dependencies: [
                "CDivanSQLiteEngine",
                "DivanStorage",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanJSON",
                "DivanCompression",
                "DivanQuery",
                "DivanSQL",
                "DivanFullText",
                "DivanVectors",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSQLiteEngineTests",
            dependencies: [
                "DivanSQLiteEngine",
                "DivanTestKit",
                "CDivanSQLiteEngine",
                "DivanSealedSQLite",
                "DivanSeal",
                "DivanStorage",
                "DivanPlatform",
                "DivanSQLite",
                "DivanRevisions",
                "DivanJSON",
                "DivanCompression",
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
