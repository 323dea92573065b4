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
    name: "DivanSQLite",
    products: [.library(name: "DivanSQLite", targets: ["DivanSQLite"])],
    dependencies: [
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanSeal"),
        .package(path: "../DivanSealedSQLite"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "CDivanSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        .target(
            name: "DivanSQLite",
            dependencies: ["CDivanSQLite", "DivanPlatform"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSQLiteTests",
            dependencies: [
                "DivanSQLite",
                "DivanTestKit",
                "DivanSealedSQLite",
                "DivanSeal",
                "DivanPlatform",
            ],
            swiftSettings: strict
        ),
    ]
)
