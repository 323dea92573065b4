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
    name: "DivanVectors",
    products: [.library(name: "DivanVectors", targets: ["DivanVectors"])],
    dependencies: [
        .package(path: "../DivanTestKit")
    ],
    targets: [
        .target(name: "CDivanVectors", linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "DivanVectors",
            dependencies: ["CDivanVectors"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanVectorsTests",
            dependencies: ["DivanVectors", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
