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
    name: "DivanMesh",
    products: [.library(name: "DivanMesh", targets: ["DivanMesh"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanMesh",
            dependencies: ["DivanCrypto"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanMeshTests",
            dependencies: ["DivanMesh", "DivanTestKit", "DivanCrypto"],
            swiftSettings: strict
        ),
    ]
)
