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
                "DivanISAL", "DivanTestKit", "DivanPlatform", "DivanZlib", "DivanCompression",
            ],
            swiftSettings: strict
        ),
    ]
)
