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
    name: "DivanMemoryEngine",
    products: [.library(name: "DivanMemoryEngine", targets: ["DivanMemoryEngine"])],
    dependencies: [
        .package(path: "../DivanJSON"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanRevisions"),
        .package(path: "../DivanStorage"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanMemoryEngine",
            dependencies: ["DivanStorage", "DivanPlatform", "DivanRevisions", "DivanJSON"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanMemoryEngineTests",
            dependencies: [
                "DivanMemoryEngine",
                "DivanTestKit",
                "DivanStorage",
                "DivanPlatform",
                "DivanRevisions",
                "DivanJSON",
            ],
            swiftSettings: strict
        ),
    ]
)
