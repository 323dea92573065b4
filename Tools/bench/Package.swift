// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Libraries of the repository's root manifest.
func divan(_ names: [String]) -> [Target.Dependency] {
    names.map { .product(name: $0, package: "Divan") }
}

let package = Package(
    name: "DivanBench",
    dependencies: [.package(name: "Divan", path: "../..")],
    targets: [
        .target(
            name: "CDivanFloors",
            linkerSettings: [
                .linkedLibrary("sqlite3"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
                .linkedLibrary("z"), .linkedLibrary("lz4"),
            ]
        ),
        .target(name: "DivanCharts", swiftSettings: strict),
        .target(name: "DivanLinks", dependencies: divan(["DivanTestKit"]), swiftSettings: strict),
        .executableTarget(
            name: "divan-bench",
            dependencies: [
                "CDivanFloors", "DivanCharts", "DivanLinks",
            ]
                + divan([
                    "Divan", "DivanBLIP", "DivanBLIPChannel", "DivanCompression", "DivanCrypto",
                    "DivanDelta",
                    "DivanFullText", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanLog", "DivanQuery",
                    "DivanRevisions", "DivanStore", "DivanTestKit", "DivanTLS", "DivanTransport",
                    "DivanWebSocket", "DivanZlib",
                ]),
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanBenchTests",
            dependencies: divan(["DivanTestKit"]),
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanChartsTests",
            dependencies: ["DivanCharts"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanLinksTests",
            dependencies: ["DivanLinks"] + divan(["DivanTestKit"]),
            swiftSettings: strict
        ),
    ]
)
