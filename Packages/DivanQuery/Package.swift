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
    name: "DivanQuery",
    products: [.library(name: "DivanQuery", targets: ["DivanQuery"])],
    dependencies: [
        .package(path: "../DivanJSON"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(name: "DivanQuery", dependencies: ["DivanJSON"], swiftSettings: strict),
        .testTarget(
            name: "DivanQueryTests",
            dependencies: ["DivanQuery", "DivanTestKit", "DivanJSON"],
            swiftSettings: strict
        ),
    ]
)
