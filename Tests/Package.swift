// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// What the targets use: each other, and libraries of the repository's root manifest.
func names(_ names: [String]) -> [Target.Dependency] {
    names.map { name in
        name.hasPrefix("Divan") && !own.contains(name)
            ? .product(name: name, package: "Divan") : .byName(name: name)
    }
}

/// The libraries in this package, besides the programs built from them.
let own: Set = ["DivanFleet", "DivanFuzz", "DivanGrowth", "DivanIndexTrial", "DivanStress"]

func library(_ name: String, at path: String, uses: [String]) -> Target {
    .target(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

func program(_ name: String, at path: String, uses: [String]) -> Target {
    .executableTarget(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

func tests(_ name: String, at path: String, uses: [String]) -> Target {
    .testTarget(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

let package = Package(
    name: "Trials",
    dependencies: [.package(name: "Divan", path: "..")],
    targets: [
        library(
            "DivanStress",
            at: "Stress/DivanStress",
            uses: [
                "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanTestKit", "DivanWebSocket",
            ]
        ),
        program(
            "divan-stress",
            at: "Stress/divan-stress",
            uses: [
                "DivanStress", "DivanLZ4", "DivanZlib",
            ]
        ),
        tests("StressTests", at: "StressTests", uses: ["DivanStress", "DivanLZ4", "DivanZlib"]),
        library(
            "DivanFuzz",
            at: "Fuzz/Sources/DivanFuzz",
            uses: [
                "Divan", "DivanAuth", "DivanBLIP", "DivanCBLite", "DivanCompression", "DivanCrypto",
                "DivanDelta", "DivanHTTP", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanQuery",
                "DivanReplicator", "DivanRevisions", "DivanSeal", "DivanStore", "DivanTestKit",
                "DivanTLS", "DivanWebSocket", "DivanZlib", "DivanZstd",
            ]
        ),
        tests("FuzzTests", at: "FuzzTests", uses: ["Divan", "DivanFuzz", "DivanTestKit"]),
        library(
            "DivanGrowth",
            at: "Growth/DivanGrowth",
            uses: [
                "DivanAuth", "DivanBLIP", "DivanConflicts", "DivanCrypto", "DivanDelta",
                "DivanHTTP",
                "DivanJSON", "DivanReplicator", "DivanRevisions", "DivanStore", "DivanTLS",
                "DivanWebSocket",
                "DivanZlib",
            ]
        ),
        program("divan-growth", at: "Growth/divan-growth", uses: ["DivanGrowth"]),
        tests("GrowthTests", at: "GrowthTests", uses: ["DivanGrowth"]),
        library(
            "DivanIndexTrial",
            at: "IndexTrial",
            uses: ["DivanJSON", "DivanQuery", "DivanStore"]
        ),
        program(
            "divan-crash",
            at: "Crash",
            uses: [
                "Divan", "DivanIndexTrial", "DivanJSON", "DivanQuery", "DivanRevisions",
                "DivanStore", "DivanTestKit",
            ]
        ),
        tests("CrashTests", at: "CrashTests", uses: ["divan-crash", "DivanTestKit"]),
        program(
            "divan-kill-sync",
            at: "KillSync",
            uses: [
                "Divan", "DivanDelta", "DivanIndexTrial", "DivanJSON", "DivanLZ4", "DivanRevisions",
                "DivanStore", "DivanTestKit", "DivanWebSocket", "DivanZlib",
            ]
        ),
        tests("KillSyncTests", at: "KillSyncTests", uses: ["divan-kill-sync", "DivanTestKit"]),
        program(
            "divan-bitrot",
            at: "BitRot",
            uses: [
                "Divan", "DivanDelta", "DivanLZ4", "DivanRevisions", "DivanStore", "DivanTestKit",
                "DivanZlib",
            ]
        ),
        tests("BitRotTests", at: "BitRotTests", uses: ["divan-bitrot", "DivanTestKit"]),
        program("divan-pictures", at: "Pictures", uses: ["Divan", "DivanTestKit"]),
        tests("PicturesTests", at: "PicturesTests", uses: ["divan-pictures", "DivanTestKit"]),
        program("divan-live", at: "Live", uses: ["Divan", "DivanTestKit"]),
        tests("LiveTests", at: "LiveTests", uses: ["divan-live", "DivanTestKit"]),
        program("divan-soak", at: "Soak", uses: ["Divan", "DivanTestKit"]),
        program(
            "divan-attack",
            at: "Attack",
            uses: [
                "Divan", "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanTestKit", "DivanTLS",
                "DivanWebSocket", "DivanZlib",
            ]
        ),
        tests("AttackTests", at: "AttackTests", uses: ["divan-attack", "DivanTestKit"]),
        tests("SoakTests", at: "SoakTests", uses: ["divan-soak", "DivanTestKit"]),
        .target(
            name: "CDivanDisk",
            path: "Simulation/CDivanDisk",
            linkerSettings: [.linkedLibrary("sqlite3")]
        ),
        library(
            "DivanFleet",
            at: "Simulation/DivanFleet",
            uses: [
                "CDivanDisk", "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto",
                "DivanDelta",
                "DivanJSON", "DivanLog", "DivanQuery", "DivanReplicator", "DivanRevisions",
                "DivanSession", "DivanSimulation", "DivanStore", "DivanTestKit", "DivanTransport",
                "DivanZlib",
            ]
        ),
        program("divan-simulate", at: "Simulation/divan-simulate", uses: ["DivanFleet"]),
        tests("SimulationTests", at: "SimulationTests", uses: ["DivanFleet"]),
        library("Logging", at: "Neighbours/Logging", uses: []),
        tests("NeighbourTests", at: "NeighbourTests", uses: ["Divan", "Logging"]),
        tests("EndToEndTests", at: "EndToEndTests", uses: ["Divan", "DivanTestKit"]),
        program(
            "websocket-echo",
            at: "Wire/websocket-echo",
            uses: [
                "DivanTLS", "DivanTransport", "DivanWebSocket",
            ]
        ),
        program(
            "blip-echo",
            at: "Wire/blip-echo",
            uses: [
                "DivanBLIP", "DivanBLIPChannel", "DivanTransport", "DivanWebSocket", "DivanZlib",
            ]
        ),
        program("tls-probe", at: "Wire/tls-probe", uses: ["DivanProbe", "DivanTLS"]),
        program(
            "websocket-autobahn",
            at: "Wire/websocket-autobahn",
            uses: [
                "DivanJSON", "DivanLog", "DivanTransport", "DivanWebSocket",
            ]
        ),
        tests(
            "ExampleProgramTests",
            at: "ExampleProgramTests",
            uses: [
                "blip-echo", "tls-probe", "websocket-autobahn", "websocket-echo", "DivanTestKit",
            ]
        ),
    ]
)
