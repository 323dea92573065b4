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
    name: "DivanDelta",
    products: [.library(name: "DivanDelta", targets: ["DivanDelta"])],
    dependencies: [
        .package(path: "../DivanCompression"),
        .package(path: "../DivanJSON"),
        .package(path: "../DivanLZ4"),
        .package(path: "../DivanTestKit"),
        .package(path: "../DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanDelta",
            dependencies: ["DivanJSON", "DivanCompression"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanDeltaTests",
            dependencies: [
                "DivanDelta",
                "DivanTestKit",
                "DivanZlib",
                "DivanLZ4",
                "DivanJSON",
                "DivanCompression",
            ],
            swiftSettings: strict
        ),
    ]
)
