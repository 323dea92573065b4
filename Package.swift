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
            dependencies: names(shim + arrows),
            path: "Packages/\(name)/Sources/\(name)",
            swiftSettings: strict
        ),
        .testTarget(
            name: "\(name)Tests",
            dependencies: names([name] + kit + testing + arrows),
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

/// A library of the repository's own programs and tests; nobody outside builds it.
func library(_ name: String, at path: String, uses: [String] = []) -> Target {
    .target(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

/// A program.
func program(_ name: String, at path: String, uses: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

/// Tests of what is not a room.
func tests(_ name: String, at path: String, uses: [String]) -> Target {
    .testTarget(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

func names(_ targets: [String]) -> [Target.Dependency] { targets.map { .byName(name: $0) } }

let rooms: [[Target]] = [
    room("DivanTestKit"),
    room("DivanLog"),
    room("DivanCrypto", libraries: ["crypto"]),
    room("DivanCompression"),
    room("DivanJSON"),
    room("DivanZlib", arrows: ["DivanCompression"], libraries: ["z"]),
    room("DivanISAL", arrows: ["DivanZlib", "DivanCompression"], libraries: ["dl"]),
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
    room("DivanQuery", arrows: ["DivanJSON"]),
    room(
        "DivanSQLFunctions",
        libraries: ["sqlite3", "icuuc", "icui18n"],
        testing: ["CDivanSQLFunctions"]
    ),
    room("DivanFullText", libraries: ["sqlite3", "stemmer"], testing: ["CDivanFullText"]),
    room(
        "DivanCBLite",
        arrows: ["DivanRevisions", "DivanCrypto"],
        libraries: ["sqlite3"],
        testing: ["DivanJSON"]
    ),
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
        arrows: [
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCrypto",
            "DivanQuery",
            "DivanSQLFunctions",
            "DivanFullText",
        ],
        libraries: ["sqlite3"],
        testing: ["CDivanStore", "CDivanStoreFaults", "DivanZlib", "DivanLZ4", "DivanCompression"]
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
            "DivanRevisions",
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
        testing: ["DivanZlib", "DivanCrypto", "DivanLZ4", "DivanCompression", "DivanRevisions"]
    ),
    room(
        "Divan",
        arrows: [
            "DivanListener",
            "DivanSession",
            "DivanReplicator",
            "DivanConflicts",
            "DivanCBLite",
            "DivanStore",
            "DivanQuery",
            "DivanFullText",
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
            "DivanISAL",
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
        .testTarget(
            name: "SwiftSixTests",
            dependencies: ["CouchbaseLiteSwift", "DivanTestKit"],
            path: "Packages/CouchbaseLiteSwift/Tests/SwiftSixTests",
            swiftSettings: [
                .swiftLanguageMode(.v6), .defaultIsolation(MainActor.self),
                .treatAllWarnings(as: .error),
            ]
        ),
    ],
]

/// The command line, the demo, the bench and the checks, which compose the rooms.
let tools: [Target] = [
    library("DivanProbe", at: "Tools/Sources/DivanProbe", uses: ["DivanTLS"]),
    library(
        "DivanCommand",
        at: "Tools/Sources/DivanCommand",
        uses: [
            "CDivanLineEditor", "Divan", "DivanBLIP", "DivanCBLite", "DivanConflicts",
            "DivanCrypto", "DivanDelta", "DivanDiscovery", "DivanISAL", "DivanJSON", "DivanLZ4",
            "DivanProbe", "DivanQuery", "DivanReplicator", "DivanRevisions", "DivanSession",
            "DivanStore", "DivanTLS", "DivanTransport", "DivanWebSocket",
            "DivanZlib",
        ]
    ),
    program("divan", at: "Tools/Sources/divan", uses: ["DivanCommand"]),
    program("divan-demo", at: "Tools/Sources/divan-demo", uses: ["DivanTestKit"]),
    .target(
        name: "CDivanLineEditor",
        path: "Tools/Sources/CDivanLineEditor",
        linkerSettings: [.linkedLibrary("edit")]
    ),
    .target(
        name: "CDivanFloors",
        path: "Tools/Sources/CDivanFloors",
        linkerSettings: [
            .linkedLibrary("sqlite3"), .linkedLibrary("ssl"), .linkedLibrary("crypto"),
            .linkedLibrary("z"), .linkedLibrary("lz4"),
        ]
    ),
    program(
        "divan-bench",
        at: "Tools/Sources/divan-bench",
        uses: [
            "CDivanFloors", "Divan", "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanDelta",
            "DivanFullText", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanLog", "DivanQuery",
            "DivanRevisions",
            "DivanStore", "DivanTLS", "DivanTransport", "DivanWebSocket", "DivanZlib",
            "DivanTestKit",
        ]
    ),
    program(
        "websocket-echo",
        at: "Tools/Sources/websocket-echo",
        uses: ["DivanTLS", "DivanTransport", "DivanWebSocket"]
    ),
    program(
        "blip-echo",
        at: "Tools/Sources/blip-echo",
        uses: ["DivanBLIP", "DivanTransport", "DivanWebSocket", "DivanZlib"]
    ),
    program("tls-probe", at: "Tools/Sources/tls-probe", uses: ["DivanProbe", "DivanTLS"]),
    program(
        "websocket-autobahn",
        at: "Tools/Sources/websocket-autobahn",
        uses: ["DivanJSON", "DivanLog", "DivanTransport", "DivanWebSocket"]
    ),
    library("DivanCheck", at: "Tools/Sources/DivanCheck"),
    program("divan-check", at: "Tools/Sources/divan-check", uses: ["DivanCheck"]),
    tests("DivanCheckTests", at: "Tools/Tests/DivanCheckTests", uses: ["DivanCheck"]),
    tests(
        "ExampleProgramTests",
        at: "Tools/Tests/ExampleProgramTests",
        uses: ["blip-echo", "tls-probe", "websocket-autobahn", "websocket-echo", "DivanTestKit"]
    ),
    tests(
        "DivanCommandTests",
        at: "Tools/Tests/DivanCommandTests",
        uses: [
            "divan", "Divan", "DivanBLIP", "DivanLog", "DivanRevisions", "DivanStore",
            "DivanTestKit", "DivanWebSocket", "DivanZlib",
        ]
    ),
]

/// What crosses packages.
let crossing: [Target] = [
    library(
        "DivanStress",
        at: "Tests/Stress/DivanStress",
        uses: ["DivanBLIP", "DivanCompression", "DivanCrypto", "DivanTestKit", "DivanWebSocket"]
    ),
    program(
        "divan-stress",
        at: "Tests/Stress/divan-stress",
        uses: ["DivanStress", "DivanLZ4", "DivanZlib"]
    ),
    tests("StressTests", at: "Tests/StressTests", uses: ["DivanStress", "DivanLZ4", "DivanZlib"]),
    library(
        "DivanFuzz",
        at: "Tests/Fuzz/Sources/DivanFuzz",
        uses: [
            "Divan", "DivanAuth", "DivanBLIP", "DivanCBLite", "DivanCompression", "DivanCrypto",
            "DivanDelta", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanQuery", "DivanReplicator",
            "DivanRevisions", "DivanStore",
            "DivanTestKit", "DivanTLS", "DivanWebSocket", "DivanZlib",
        ]
    ),
    tests("FuzzTests", at: "Tests/FuzzTests", uses: ["Divan", "DivanFuzz", "DivanTestKit"]),
    library(
        "DivanGrowth",
        at: "Tests/Growth/DivanGrowth",
        uses: [
            "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanDelta", "DivanJSON", "DivanReplicator",
            "DivanRevisions", "DivanStore", "DivanTLS", "DivanWebSocket", "DivanZlib",
        ]
    ),
    program("divan-growth", at: "Tests/Growth/divan-growth", uses: ["DivanGrowth"]),
    tests("GrowthTests", at: "Tests/GrowthTests", uses: ["DivanGrowth"]),
    program(
        "divan-crash",
        at: "Tests/Crash",
        uses: ["DivanRevisions", "DivanStore", "DivanTestKit"]
    ),
    tests("CrashTests", at: "Tests/CrashTests", uses: ["divan-crash", "DivanTestKit"]),
    program(
        "divan-kill-sync",
        at: "Tests/KillSync",
        uses: [
            "Divan", "DivanDelta", "DivanJSON", "DivanLZ4", "DivanRevisions", "DivanStore",
            "DivanTestKit", "DivanWebSocket", "DivanZlib",
        ]
    ),
    tests("KillSyncTests", at: "Tests/KillSyncTests", uses: ["divan-kill-sync", "DivanTestKit"]),
    program(
        "divan-bitrot",
        at: "Tests/BitRot",
        uses: [
            "Divan", "DivanDelta", "DivanLZ4", "DivanRevisions", "DivanStore", "DivanTestKit",
            "DivanZlib",
        ]
    ),
    tests("BitRotTests", at: "Tests/BitRotTests", uses: ["divan-bitrot", "DivanTestKit"]),
    program("divan-soak", at: "Tests/Soak", uses: ["Divan", "DivanTestKit"]),
    program(
        "divan-attack",
        at: "Tests/Attack",
        uses: [
            "Divan", "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanTestKit", "DivanTLS",
            "DivanWebSocket", "DivanZlib",
        ]
    ),
    tests("AttackTests", at: "Tests/AttackTests", uses: ["divan-attack", "DivanTestKit"]),
    tests("SoakTests", at: "Tests/SoakTests", uses: ["divan-soak", "DivanTestKit"]),
    library(
        "DivanSimulation",
        at: "Tests/Simulation/DivanSimulation",
        uses: [
            "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto", "DivanDelta",
            "DivanJSON", "DivanLog", "DivanReplicator", "DivanRevisions", "DivanSession",
            "DivanStore", "DivanTestKit", "DivanTransport", "DivanZlib",
        ]
    ),
    program("divan-simulate", at: "Tests/Simulation/divan-simulate", uses: ["DivanSimulation"]),
    tests("SimulationTests", at: "Tests/SimulationTests", uses: ["DivanSimulation"]),
    tests(
        "EndToEndTests",
        at: "Tests/EndToEndTests",
        uses: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"]
    ),
]

/// What the documentation shows; users of the libraries never build it.
let examples: [Target] = [
    program("notes-example", at: "Docs/examples/Sources/notes-example", uses: ["Divan"]),
    program("photos-example", at: "Docs/examples/Sources/photos-example", uses: ["Divan"]),
    program("fleet-example", at: "Docs/examples/Sources/fleet-example", uses: ["Divan"]),
    program(
        "room-example",
        at: "Docs/examples/Sources/room-example",
        uses: ["Divan", "DivanDiscovery"]
    ),
    tests(
        "ExampleTests",
        at: "Docs/examples/Tests/ExampleTests",
        uses: ["notes-example", "photos-example", "fleet-example", "room-example", "DivanTestKit"]
    ),
    tests(
        "GuideTests",
        at: "Docs/examples/Tests/GuideTests",
        uses: ["CouchbaseLiteSwift", "Divan"]
    ),
]

/// What outside users may depend on: each room's library, the shims of C libraries left out.
let libraries = rooms.flatMap { $0 }
    .filter { $0.type == .regular && !$0.name.hasPrefix("CDivan") }.map(\.name)

let package = Package(
    name: "Divan",
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "divan", targets: ["divan"])
    ],
    targets: rooms.flatMap { $0 } + tools + crossing + examples
)
