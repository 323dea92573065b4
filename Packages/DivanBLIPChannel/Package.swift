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
    name: "DivanBLIPChannel",
    products: [.library(name: "DivanBLIPChannel", targets: ["DivanBLIPChannel"])],
    dependencies: [
        .package(path: "../DivanBLIP"),
        .package(path: "../DivanCompression"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanSimulation"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanTransport"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanBLIPChannel",
            dependencies: ["DivanBLIP", "DivanCompression", "DivanTransport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanBLIPChannelTests",
            dependencies: [
                "DivanBLIPChannel",
                "DivanTestKit",
                "DivanSimulation",
                "DivanZlib",
                "DivanPlatform",
                "DivanBLIP",
                "DivanCompression",
                "DivanTransport",
            ],
            swiftSettings: strict
        ),
    ]
)
