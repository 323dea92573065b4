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
    name: "DivanAuth",
    products: [.library(name: "DivanAuth", targets: ["DivanAuth"])],
    dependencies: [
        .package(path: "../DivanCrypto"),
        .package(path: "../DivanHTTP"),
        .package(path: "../DivanPlatform"),
        .package(path: "../DivanTestKit"),
    ],
    targets: [
        .target(
            name: "DivanAuth",
            dependencies: ["DivanPlatform", "DivanCrypto", "DivanHTTP"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanAuthTests",
            dependencies: [
                "DivanAuth", "DivanTestKit", "DivanPlatform", "DivanCrypto", "DivanHTTP",
            ],
            swiftSettings: strict
        ),
    ]
)
