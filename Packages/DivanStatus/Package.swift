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
    name: "DivanStatus",
    products: [.library(name: "DivanStatus", targets: ["DivanStatus"])],
    dependencies: [
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanStatus",
            dependencies: ["DivanPlatform", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanStatusTests",
            dependencies: ["DivanStatus", "DivanTestKit", "DivanPlatform", "DivanJSON"],
            swiftSettings: strict
        ),
    ]
)
