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
    name: "DivanBLIP",
    products: [.library(name: "DivanBLIP", targets: ["DivanBLIP"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(name: "CDivanBLIP", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "DivanBLIP",
            dependencies: ["CDivanBLIP", "DivanPlatform", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanBLIPTests",
            dependencies: [
                "DivanBLIP",
                "DivanTestKit",
                "DivanZlib",
                "DivanPlatform",
                "DivanCompression",
            ],
            swiftSettings: strict
        ),
    ]
)
