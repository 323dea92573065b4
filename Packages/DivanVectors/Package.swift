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
    name: "DivanVectors",
    products: [.library(name: "DivanVectors", targets: ["DivanVectors"])],
    dependencies: [.package(path: "../DivanTestKit")],
    targets: [
        .target(name: "CDivanVectors", linkerSettings: [.linkedLibrary("m")]),
        .target(name: "DivanVectors", dependencies: ["CDivanVectors"], swiftSettings: strict),
        .testTarget(
            name: "DivanVectorsTests",
            dependencies: ["DivanVectors", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
