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
    name: "DivanDiscovery",
    products: [.library(name: "DivanDiscovery", targets: ["DivanDiscovery"])],
    dependencies: [
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanLog"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanDiscovery",
            linkerSettings: [.linkedLibrary("avahi-client"), .linkedLibrary("avahi-common")]
        ),
        .target(
            name: "DivanDiscovery",
            dependencies: ["CDivanDiscovery", "DivanPlatform", "DivanHTTP", "DivanLog"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanDiscoveryTests",
            dependencies: [
                "DivanDiscovery",
                "DivanTestKit",
                "DivanPlatform",
                "DivanHTTP",
                "DivanLog",
            ],
            swiftSettings: strict
        ),
    ]
)
