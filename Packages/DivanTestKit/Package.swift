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
    name: "DivanTestKit",
    products: [.library(name: "DivanTestKit", targets: ["DivanTestKit"])],
    targets: [
        .target(name: "DivanTestKit", swiftSettings: strict),
        .testTarget(
            name: "DivanTestKitTests",
            dependencies: ["DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
