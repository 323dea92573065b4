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
    name: "DivanSealedSQLite",
    products: [.library(name: "DivanSealedSQLite", targets: ["DivanSealedSQLite"])],
    dependencies: [.package(path: "../DivanSeal"), .package(path: "../DivanTestKit")],
    targets: [
        .target(
            name: "CDivanSealedSQLite",
            dependencies: ["DivanSeal"],
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]
        ),
        .target(
            name: "DivanSealedSQLite",
            dependencies: ["CDivanSealedSQLite", "DivanSeal"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSealedSQLiteTests",
            dependencies: ["DivanSealedSQLite", "DivanTestKit", "CDivanSealedSQLite", "DivanSeal"],
            swiftSettings: strict
        ),
    ]
)
