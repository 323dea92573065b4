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
    name: "DivanZlib",
    products: [.library(name: "DivanZlib", targets: ["DivanZlib"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "CDivanZlib", linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "DivanZlib",
            dependencies: ["CDivanZlib", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanZlibTests",
            dependencies: ["DivanZlib", "DivanTestKit", "DivanCompression"],
            swiftSettings: strict
        ),
    ]
)
