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
        .package(path: "../Packages/DivanAuth"),
        .package(path: "../Packages/DivanBLIP"),
        .package(path: "../Packages/DivanCBLite"),
        .package(path: "../Packages/DivanCompression"),
        .package(path: "../Packages/DivanConflicts"),
        .package(path: "../Packages/DivanCrypto"),
        .package(path: "../Packages/DivanDelta"),
        .package(path: "../Packages/DivanISAL"),
        .package(path: "../Packages/DivanJSON"),
        .package(path: "../Packages/DivanLZ4"),
        .package(path: "../Packages/DivanLog"),
        .package(path: "../Packages/DivanQuery"),
        .package(path: "../Packages/DivanReplicator"),
        .package(path: "../Packages/DivanRevisions"),
        .package(path: "../Packages/DivanSession"),
        .package(path: "../Packages/DivanStore"),
        .package(path: "../Packages/DivanTLS"),
        .package(path: "../Packages/DivanTestKit"),
        .package(path: "../Packages/DivanTransport"),
        .package(path: "../Packages/DivanWebSocket"),
        .package(path: "../Packages/DivanZlib"),
    ],
    targets: [
        .target(
            name: "DivanStress",
            dependencies: [
                "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanTestKit", "DivanWebSocket",
            ],
            path: "Stress/DivanStress",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-stress",
            dependencies: ["DivanStress", "DivanLZ4", "DivanZlib"],
            path: "Stress/divan-stress",
            swiftSettings: strict
        ),
        .testTarget(
            name: "StressTests",
            dependencies: ["DivanStress", "DivanLZ4", "DivanZlib"],
            path: "StressTests",
            swiftSettings: strict
        ),
        .target(
            name: "DivanFuzz",
            dependencies: [
                "Divan", "DivanAuth", "DivanBLIP", "DivanCBLite", "DivanCompression",
                "DivanCrypto", "DivanDelta", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanQuery",
                "DivanReplicator",
                "DivanRevisions", "DivanStore",
                "DivanTestKit", "DivanTLS", "DivanWebSocket", "DivanZlib",
            ],
            path: "Fuzz/Sources/DivanFuzz",
            swiftSettings: strict
        ),
        .testTarget(
            name: "FuzzTests",
            dependencies: ["Divan", "DivanFuzz", "DivanTestKit"],
            path: "FuzzTests",
            swiftSettings: strict
        ),
        .target(
            name: "DivanGrowth",
            dependencies: [
                "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanDelta", "DivanJSON",
                "DivanReplicator", "DivanRevisions", "DivanStore", "DivanTLS", "DivanWebSocket",
                "DivanZlib",
            ],
            path: "Growth/DivanGrowth",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-growth",
            dependencies: ["DivanGrowth"],
            path: "Growth/divan-growth",
            swiftSettings: strict
        ),
        .testTarget(
            name: "GrowthTests",
            dependencies: ["DivanGrowth"],
            path: "GrowthTests",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-crash",
            dependencies: ["DivanRevisions", "DivanStore", "DivanTestKit"],
            path: "Crash",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CrashTests",
            dependencies: ["divan-crash", "DivanTestKit"],
            path: "CrashTests",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-kill-sync",
            dependencies: [
                "Divan", "DivanDelta", "DivanJSON", "DivanLZ4", "DivanRevisions", "DivanStore",
                "DivanTestKit", "DivanWebSocket", "DivanZlib",
            ],
            path: "KillSync",
            swiftSettings: strict
        ),
        .testTarget(
            name: "KillSyncTests",
            dependencies: ["divan-kill-sync", "DivanTestKit"],
            path: "KillSyncTests",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-bitrot",
            dependencies: [
                "Divan", "DivanDelta", "DivanLZ4", "DivanRevisions", "DivanStore", "DivanTestKit",
                "DivanZlib",
            ],
            path: "BitRot",
            swiftSettings: strict
        ),
        .testTarget(
            name: "BitRotTests",
            dependencies: ["divan-bitrot", "DivanTestKit"],
            path: "BitRotTests",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-soak",
            dependencies: ["Divan", "DivanTestKit"],
            path: "Soak",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-attack",
            dependencies: [
                "Divan", "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanTestKit", "DivanTLS",
                "DivanWebSocket", "DivanZlib",
            ],
            path: "Attack",
            swiftSettings: strict
        ),
        .testTarget(
            name: "AttackTests",
            dependencies: ["divan-attack", "DivanTestKit"],
            path: "AttackTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SoakTests",
            dependencies: ["divan-soak", "DivanTestKit"],
            path: "SoakTests",
            swiftSettings: strict
        ),
        .target(
            name: "DivanSimulation",
            dependencies: [
                "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto", "DivanDelta",
                "DivanJSON", "DivanLog", "DivanReplicator", "DivanRevisions", "DivanSession",
                "DivanStore", "DivanTestKit", "DivanTransport", "DivanZlib",
            ],
            path: "Simulation/DivanSimulation",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-simulate",
            dependencies: ["DivanSimulation"],
            path: "Simulation/divan-simulate",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SimulationTests",
            dependencies: ["DivanSimulation"],
            path: "SimulationTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "EndToEndTests",
            dependencies: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"],
            path: "EndToEndTests",
            swiftSettings: strict
        ),
    ]
)
