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
    name: "CrossingTests",
    dependencies: [
        .package(path: "../Packages/CouchbaseLiteSwift"),
        .package(path: "../Packages/Divan"),
        .package(path: "../Packages/DivanTestKit"),
    ],
    targets: [
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"],
            path: "EndToEndTests",
            swiftSettings: strict
        )
    ]
)
