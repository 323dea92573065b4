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
    name: "DivanSeal",
    products: [.library(name: "DivanSeal", targets: ["DivanSeal"])],
    dependencies: [
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "CDivanSeal",
            linkerSettings: [.linkedLibrary("sqlite3"), .linkedLibrary("crypto")]
        ),
        .target(
            name: "DivanSeal",
            dependencies: ["CDivanSeal", "DivanPlatform"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanSealTests",
            dependencies: ["DivanSeal", "DivanTestKit", "DivanPlatform", "CDivanSeal"],
            swiftSettings: strict
        ),
    ]
)
