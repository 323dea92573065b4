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
    name: "DivanISAL",
    products: [.library(name: "DivanISAL", targets: ["DivanISAL"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(name: "CDivanISAL", linkerSettings: [.linkedLibrary("dl")]),
        .target(
            name: "DivanISAL",
            dependencies: ["CDivanISAL", "DivanZlib", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanISALTests",
            dependencies: [
                "DivanISAL",
                "DivanTestKit",
                "DivanPlatform",
                "DivanZlib",
                "DivanCompression",
            ],
            swiftSettings: strict
        ),
    ]
)
