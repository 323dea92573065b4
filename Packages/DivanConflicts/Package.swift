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
    name: "DivanConflicts",
    products: [.library(name: "DivanConflicts", targets: ["DivanConflicts"])],
    dependencies: [
        .package(path: "../DivanJSON"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanConflicts",
            dependencies: ["DivanRevisions", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanConflictsTests",
            dependencies: ["DivanConflicts", "DivanTestKit", "DivanRevisions", "DivanJSON"],
            swiftSettings: strict
        ),
    ]
)
