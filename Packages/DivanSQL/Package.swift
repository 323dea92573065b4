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
    name: "DivanSQL",
    products: [.library(name: "DivanSQL", targets: ["DivanSQL"])],
    dependencies: [
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanQuery"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanSQL",
            linkerSettings: [
                .linkedLibrary("sqlite3"),
                .linkedLibrary("icuuc"),
                .linkedLibrary("icui18n"),
            ]
        ),
        .target(
            name: "DivanSQL",
            dependencies: ["CDivanSQL", "DivanQuery", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSQLTests",
            dependencies: [
                "DivanSQL",
                "DivanTestKit",
                "CDivanSQL",
                "DivanPlatform",
                "DivanQuery",
                "DivanJSON",
            ],
            swiftSettings: strict
        ),
    ]
)
