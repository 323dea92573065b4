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
    name: "DivanCheck",
    products: [.executable(name: "divan-check", targets: ["divan-check"])],
    targets: [
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
