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
    name: "DivanRevisions",
    products: [.library(name: "DivanRevisions", targets: ["DivanRevisions"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanRevisions",
            dependencies: ["DivanJSON", "DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanRevisionsTests",
            dependencies: ["DivanRevisions", "DivanTestKit", "DivanJSON", "DivanCrypto"],
            swiftSettings: strict
        ),
    ]
)
