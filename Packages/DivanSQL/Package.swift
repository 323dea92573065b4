// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "DivanSQLFunctions",
    products: [.library(name: "DivanSQLFunctions", targets: ["DivanSQLFunctions"])],
    dependencies: [
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanSQLFunctions",
            linkerSettings: [
                .linkedLibrary("sqlite3"), .linkedLibrary("icuuc"), .linkedLibrary("icui18n"),
            ]
        ),
        .target(
            name: "DivanSQLFunctions",
            dependencies: ["CDivanSQLFunctions"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSQLFunctionsTests",
            dependencies: [
                "DivanSQLFunctions", "DivanTestKit", "CDivanSQLFunctions", "DivanPlatform",
            ],
            swiftSettings: strict
        ),
    ]
)
