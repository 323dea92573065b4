// swift-tools-version: 6.2
import PackageDescription

// Every target of the repository again, by `path:`. Outside users depend on this manifest by URL;
// `make check` compares it with the manifests of the packages.

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// One package of the house: its library, its tests and, where it wraps a C library, its shim.
func room(
    _ name: String,
    arrows: [String] = [],
    libraries: [String] = [],
    testing: [String] = []
) -> [Target] {
    let shim = libraries.isEmpty ? [] : ["C\(name)"]
    let kit = name == "DivanTestKit" ? [] : ["DivanTestKit"]
    var targets: [Target] = [
        .target(
            name: name,
            dependencies: (shim + arrows).map { .byName(name: $0) },
            path: "Packages/\(name)/Sources/\(name)",
            swiftSettings: strict
        ),
        .testTarget(
            name: "\(name)Tests",
            dependencies: ([name] + kit + testing + arrows).map { .byName(name: $0) },
            path: "Packages/\(name)/Tests/\(name)Tests",
            swiftSettings: strict
        ),
    ]
    for module in shim {
        targets.append(
            .target(
                name: module,
                path: "Packages/\(name)/Sources/\(module)",
                linkerSettings: libraries.map { .linkedLibrary($0) }
            )
        )
    }
    return targets
}

let rooms: [[Target]] = [
    room("DivanTestKit"),
    room("DivanLog"),
    room("DivanCrypto", libraries: ["crypto"]),
    room("DivanCompression"),
    room("DivanJSON"),
    room("DivanZlib", arrows: ["DivanCompression"], libraries: ["z"]),
    room("DivanLZ4", arrows: ["DivanCompression"], libraries: ["lz4"]),
    room("DivanTLS", arrows: ["DivanCrypto"], libraries: ["ssl", "crypto"]),
    room("DivanWebSocket", arrows: ["DivanCrypto"]),
    room("DivanBLIP", arrows: ["DivanCompression"], libraries: ["z"], testing: ["DivanZlib"]),
    room(
        "DivanDelta",
        arrows: ["DivanJSON", "DivanCompression"],
        testing: ["DivanZlib", "DivanLZ4"]
    ),
    room("DivanRevisions", arrows: ["DivanJSON", "DivanCrypto"]),
    room("DivanAuth", arrows: ["DivanCrypto"]),
    room("DivanDiscovery", arrows: ["DivanLog"], libraries: ["avahi-client", "avahi-common"]),
    room(
        "DivanTransport",
        arrows: ["DivanWebSocket", "DivanTLS", "DivanLog"],
        libraries: ["c"],
        testing: ["DivanCrypto"]
    ),
    room(
        "DivanStore",
        arrows: ["DivanRevisions", "DivanDelta", "DivanJSON", "DivanCrypto"],
        libraries: ["sqlite3"],
        testing: ["CDivanStoreFaults", "DivanZlib", "DivanLZ4", "DivanCompression"]
    ),
    [
        .target(
            name: "CDivanStoreFaults",
            path: "Packages/DivanStore/Tests/CDivanStoreFaults",
            linkerSettings: [.linkedLibrary("sqlite3")]
        )
    ],
    room("DivanConflicts", arrows: ["DivanRevisions", "DivanJSON"]),
    room(
        "DivanReplicator",
        arrows: [
            "DivanStore",
            "DivanBLIP",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCompression",
            "DivanCrypto",
            "DivanLog",
        ],
        testing: ["DivanZlib"]
    ),
    room(
        "DivanSession",
        arrows: [
            "DivanReplicator",
            "DivanTransport",
            "DivanStore",
            "DivanConflicts",
            "DivanAuth",
            "DivanLog",
        ],
        testing: ["DivanZlib", "DivanWebSocket", "DivanCrypto"]
    ),
    room(
        "DivanListener",
        arrows: [
            "DivanSession",
            "DivanReplicator",
            "DivanStore",
            "DivanAuth",
            "DivanTransport",
            "DivanTLS",
            "DivanWebSocket",
            "DivanLog",
        ],
        testing: ["DivanZlib", "DivanCrypto", "DivanLZ4", "DivanCompression"]
    ),
    room(
        "Divan",
        arrows: [
            "DivanListener",
            "DivanSession",
            "DivanReplicator",
            "DivanConflicts",
            "DivanStore",
            "DivanTransport",
            "DivanAuth",
            "DivanTLS",
            "DivanWebSocket",
            "DivanBLIP",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCrypto",
            "DivanZlib",
            "DivanLZ4",
            "DivanCompression",
            "DivanLog",
        ]
    ),
    room("CouchbaseLiteSwift", arrows: ["Divan"]),
    // Applications' source, as it is: without the upcoming features of this repository.
    [
        .testTarget(
            name: "DeclarationTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            path: "Packages/CouchbaseLiteSwift/Tests/DeclarationTests",
            swiftSettings: [.treatAllWarnings(as: .error)]
        ),
        .testTarget(
            name: "SwiftFiveTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            path: "Packages/CouchbaseLiteSwift/Tests/SwiftFiveTests",
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
    ],
]

/// The command line, the demo, the bench and the checks, which compose the rooms.
let tools: [Target] = [
    .target(
        name: "DivanProbe",
        dependencies: ["DivanTLS"],
        path: "Tools/Sources/DivanProbe",
        swiftSettings: strict
    ),
    .target(
        name: "DivanCommand",
        dependencies: [
            "Divan", "DivanBLIP", "DivanConflicts", "DivanCrypto", "DivanDelta", "DivanDiscovery",
            "DivanJSON", "DivanLZ4", "DivanProbe", "DivanReplicator", "DivanRevisions",
            "DivanSession", "DivanStore", "DivanTLS", "DivanTransport", "DivanWebSocket",
            "DivanZlib",
        ],
        path: "Tools/Sources/DivanCommand",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan",
        dependencies: ["DivanCommand"],
        path: "Tools/Sources/divan",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-demo",
        dependencies: ["DivanTestKit"],
        path: "Tools/Sources/divan-demo",
        swiftSettings: strict
    ),
    .target(
        name: "CDivanFloors",
        path: "Tools/Sources/CDivanFloors",
        linkerSettings: [
            .linkedLibrary("sqlite3"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            .linkedLibrary("z"), .linkedLibrary("lz4"),
        ]
    ),
    .executableTarget(
        name: "divan-bench",
        dependencies: [
            "CDivanFloors", "Divan", "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanDelta",
            "DivanJSON", "DivanLZ4", "DivanLog", "DivanStore", "DivanTLS", "DivanTransport",
            "DivanWebSocket", "DivanZlib", "DivanTestKit",
        ],
        path: "Tools/Sources/divan-bench",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "websocket-echo",
        dependencies: ["DivanTLS", "DivanTransport", "DivanWebSocket"],
        path: "Tools/Sources/websocket-echo",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "blip-echo",
        dependencies: ["DivanBLIP", "DivanTransport", "DivanWebSocket", "DivanZlib"],
        path: "Tools/Sources/blip-echo",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "tls-probe",
        dependencies: ["DivanProbe", "DivanTLS"],
        path: "Tools/Sources/tls-probe",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "websocket-autobahn",
        dependencies: ["DivanJSON", "DivanLog", "DivanTransport", "DivanWebSocket"],
        path: "Tools/Sources/websocket-autobahn",
        swiftSettings: strict
    ),
    .target(name: "DivanCheck", path: "Tools/Sources/DivanCheck", swiftSettings: strict),
    .executableTarget(
        name: "divan-check",
        dependencies: ["DivanCheck"],
        path: "Tools/Sources/divan-check",
        swiftSettings: strict
    ),
    .testTarget(
        name: "DivanCheckTests",
        dependencies: ["DivanCheck"],
        path: "Tools/Tests/DivanCheckTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ExampleProgramTests",
        dependencies: [
            "blip-echo", "tls-probe", "websocket-autobahn", "websocket-echo", "DivanTestKit",
        ],
        path: "Tools/Tests/ExampleProgramTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "DivanCommandTests",
        dependencies: [
            "divan", "Divan", "DivanLog", "DivanRevisions", "DivanStore", "DivanTestKit",
        ],
        path: "Tools/Tests/DivanCommandTests",
        swiftSettings: strict
    ),
]

/// What crosses packages.
let crossing: [Target] = [
    .target(
        name: "DivanStress",
        dependencies: [
            "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanTestKit", "DivanWebSocket",
        ],
        path: "Tests/Stress/DivanStress",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-stress",
        dependencies: ["DivanStress", "DivanLZ4", "DivanZlib"],
        path: "Tests/Stress/divan-stress",
        swiftSettings: strict
    ),
    .testTarget(
        name: "StressTests",
        dependencies: ["DivanStress", "DivanLZ4", "DivanZlib"],
        path: "Tests/StressTests",
        swiftSettings: strict
    ),
    .target(
        name: "DivanFuzz",
        dependencies: [
            "DivanAuth", "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanDelta",
            "DivanJSON", "DivanLZ4", "DivanReplicator", "DivanRevisions", "DivanStore",
            "DivanTestKit", "DivanTLS", "DivanWebSocket", "DivanZlib",
        ],
        path: "Tests/Fuzz/Sources/DivanFuzz",
        swiftSettings: strict
    ),
    .testTarget(
        name: "FuzzTests",
        dependencies: ["DivanFuzz"],
        path: "Tests/FuzzTests",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-crash",
        dependencies: ["DivanRevisions", "DivanStore", "DivanTestKit"],
        path: "Tests/Crash",
        swiftSettings: strict
    ),
    .testTarget(
        name: "CrashTests",
        dependencies: ["divan-crash", "DivanTestKit"],
        path: "Tests/CrashTests",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-kill-sync",
        dependencies: ["Divan", "DivanJSON", "DivanStore", "DivanTestKit", "DivanWebSocket"],
        path: "Tests/KillSync",
        swiftSettings: strict
    ),
    .testTarget(
        name: "KillSyncTests",
        dependencies: ["divan-kill-sync", "DivanTestKit"],
        path: "Tests/KillSyncTests",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-soak",
        dependencies: ["Divan", "DivanTestKit"],
        path: "Tests/Soak",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-attack",
        dependencies: [
            "Divan", "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanTestKit", "DivanTLS",
            "DivanWebSocket", "DivanZlib",
        ],
        path: "Tests/Attack",
        swiftSettings: strict
    ),
    .testTarget(
        name: "AttackTests",
        dependencies: ["divan-attack", "DivanTestKit"],
        path: "Tests/AttackTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "SoakTests",
        dependencies: ["divan-soak", "DivanTestKit"],
        path: "Tests/SoakTests",
        swiftSettings: strict
    ),
    .target(
        name: "DivanSimulation",
        dependencies: [
            "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto", "DivanDelta",
            "DivanJSON", "DivanLog", "DivanReplicator", "DivanRevisions", "DivanSession",
            "DivanStore", "DivanTestKit", "DivanTransport", "DivanZlib",
        ],
        path: "Tests/Simulation/DivanSimulation",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "divan-simulate",
        dependencies: ["DivanSimulation"],
        path: "Tests/Simulation/divan-simulate",
        swiftSettings: strict
    ),
    .testTarget(
        name: "SimulationTests",
        dependencies: ["DivanSimulation"],
        path: "Tests/SimulationTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "EndToEndTests",
        dependencies: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"],
        path: "Tests/EndToEndTests",
        swiftSettings: strict
    ),
]

/// What the documentation shows; users of the libraries never build it.
let examples: [Target] = [
    .executableTarget(
        name: "notes-example",
        dependencies: ["Divan"],
        path: "Docs/examples/Sources/notes-example",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "photos-example",
        dependencies: ["Divan"],
        path: "Docs/examples/Sources/photos-example",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "fleet-example",
        dependencies: ["Divan"],
        path: "Docs/examples/Sources/fleet-example",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "room-example",
        dependencies: ["Divan", "DivanDiscovery"],
        path: "Docs/examples/Sources/room-example",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ExampleTests",
        dependencies: [
            "notes-example", "photos-example", "fleet-example", "room-example", "DivanTestKit",
        ],
        path: "Docs/examples/Tests/ExampleTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "GuideTests",
        dependencies: ["CouchbaseLiteSwift", "Divan"],
        path: "Docs/examples/Tests/GuideTests",
        swiftSettings: strict
    ),
]

let package = Package(
    name: "Divan",
    products: [
        .library(name: "DivanTestKit", targets: ["DivanTestKit"]),
        .library(name: "DivanLog", targets: ["DivanLog"]),
        .library(name: "DivanCrypto", targets: ["DivanCrypto"]),
        .library(name: "DivanCompression", targets: ["DivanCompression"]),
        .library(name: "DivanJSON", targets: ["DivanJSON"]),
        .library(name: "DivanZlib", targets: ["DivanZlib"]),
        .library(name: "DivanLZ4", targets: ["DivanLZ4"]),
        .library(name: "DivanTLS", targets: ["DivanTLS"]),
        .library(name: "DivanWebSocket", targets: ["DivanWebSocket"]),
        .library(name: "DivanBLIP", targets: ["DivanBLIP"]),
        .library(name: "DivanDelta", targets: ["DivanDelta"]),
        .library(name: "DivanRevisions", targets: ["DivanRevisions"]),
        .library(name: "DivanAuth", targets: ["DivanAuth"]),
        .library(name: "DivanDiscovery", targets: ["DivanDiscovery"]),
        .library(name: "DivanTransport", targets: ["DivanTransport"]),
        .library(name: "DivanStore", targets: ["DivanStore"]),
        .library(name: "DivanConflicts", targets: ["DivanConflicts"]),
        .library(name: "DivanReplicator", targets: ["DivanReplicator"]),
        .library(name: "DivanSession", targets: ["DivanSession"]),
        .library(name: "DivanListener", targets: ["DivanListener"]),
        .library(name: "Divan", targets: ["Divan"]),
        .library(name: "CouchbaseLiteSwift", targets: ["CouchbaseLiteSwift"]),
        .executable(name: "divan", targets: ["divan"]),
    ],
    targets: rooms.flatMap { $0 } + tools + crossing + examples
)
