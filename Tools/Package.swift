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
    name: "Tools",
    products: [.executable(name: "divan", targets: ["divan"])],
    dependencies: [
        .package(path: "../Packages/Divan"),
        .package(path: "../Packages/DivanCrypto"),
        .package(path: "../Packages/DivanJSON"),
        .package(path: "../Packages/DivanRevisions"),
        .package(path: "../Packages/DivanStore"),
    ],
    targets: [
        .target(
            name: "DivanCommand",
            dependencies: ["DivanCrypto", "DivanJSON", "DivanRevisions", "DivanStore"],
            swiftSettings: strict
        ),
        .executableTarget(name: "divan", dependencies: ["DivanCommand"], swiftSettings: strict),
        .executableTarget(name: "divan-demo", swiftSettings: strict),
        .target(name: "DivanCheck", swiftSettings: strict),
        .executableTarget(
            name: "divan-check",
            dependencies: ["DivanCheck"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanCheckTests",
            dependencies: ["DivanCheck"],
            swiftSettings: strict
        ),
    ]
)
