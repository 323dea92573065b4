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
    name: "DivanFullText",
    products: [.library(name: "DivanFullText", targets: ["DivanFullText"])],
    dependencies: [.package(path: "../DivanTestKit")],
    targets: [
        .target(
            name: "CDivanFullText",
            linkerSettings: [
                .linkedLibrary("sqlite3"),
                .linkedLibrary("stemmer"),
                .linkedLibrary("icuuc"),
            ]
        ),
        .target(name: "DivanFullText", dependencies: ["CDivanFullText"], swiftSettings: strict),
        .testTarget(
            name: "DivanFullTextTests",
            dependencies: ["DivanFullText", "DivanTestKit", "CDivanFullText"],
            swiftSettings: strict
        ),
    ]
)
