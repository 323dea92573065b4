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
    name: "DivanSimulation",
    products: [.library(name: "DivanSimulation", targets: ["DivanSimulation"])],
    dependencies: [
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
        .package(path: "../DivanWebSocket"),
    ],
    targets: [
        .target(
            name: "DivanSimulation",
            dependencies: ["DivanPlatform", "DivanTransport", "DivanWebSocket"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSimulationTests",
            dependencies: [
                "DivanSimulation",
                "DivanTestKit",
                "DivanPlatform",
                "DivanTransport",
                "DivanWebSocket",
            ],
            swiftSettings: strict
        ),
    ]
)
