// swift-tools-version: 6.2
import PackageDescription

// Every target of the repository again, by `path:`. Outside users depend on this manifest by URL;
// `make generate` writes the manifests of the packages from it.

/// Errors where the Makefile asks for it: whoever depends on this manifest may have a newer compiler, which warns of
/// more.
let warnings: [SwiftSetting] =
    Context.environment["DIVAN_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

// The same settings in every package of the repository.
let strict: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + warnings

/// Whether `Tools/scripts/build` builds: it optimizes some code of debug builds, so that the tests run faster.
let isOptimized = Context.environment["DIVAN_OPTIMIZED_C"] != nil

/// C compiles as fast with optimization.
let optimized: [CSetting] =
    isOptimized ? [.unsafeFlags(["-O2"], .when(configuration: .debug))] : []

/// Small packages in which the tests spend much of their time.
///
/// Swift takes three to four times as long to compile with optimization. Checks of overflow and exclusive access,
/// and assertions stay.
let optimizedPackages: Set = ["DivanJSON", "DivanMesh", "DivanRevisions", "DivanVectors"]
let optimizedSwift: [SwiftSetting] =
    isOptimized
    ? [
        .unsafeFlags(
            ["-O", "-wmo", "-num-threads", "2", "-disable-batch-mode", "-assert-config", "Debug"],
            .when(configuration: .debug)
        )
    ] : []

/// The targets of one package: its library, its tests and, where it wraps a C library, its shim.
func packageTargets(
    _ name: String,
    arrows: [String] = [],
    libraries: [String] = [],
    shimArrows: [String] = [],
    testing: [String] = [],
    resources: [Resource] = []
) -> [Target] {
    let shim = libraries.isEmpty ? [] : ["C\(name)"]
    // DivanTestKit depends on DivanPlatform; SwiftPM allows no cycle, not even through tests.
    let kit = ["DivanTestKit", "DivanPlatform"].contains(name) ? [] : ["DivanTestKit"]
    var targets: [Target] = [
        .target(
            name: name,
            dependencies: names(shim + arrows),
            path: "Packages/\(name)/Sources/\(name)",
            resources: resources,
            swiftSettings: strict + (optimizedPackages.contains(name) ? optimizedSwift : [])
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
                dependencies: names(shimArrows),
                path: "Packages/\(name)/Sources/\(module)",
                cSettings: optimized,
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

/// Tests outside of packages.
func tests(_ name: String, at path: String, uses: [String]) -> Target {
    .testTarget(name: name, dependencies: names(uses), path: path, swiftSettings: strict)
}

func names(_ targets: [String]) -> [Target.Dependency] { targets.map { .byName(name: $0) } }

let packages: [[Target]] = [
    packageTargets("DivanPlatform", libraries: ["c"]),
    packageTargets("DivanTestKit", arrows: ["DivanPlatform"]),
    packageTargets(
        "DivanSQLite",
        arrows: ["DivanPlatform"],
        libraries: ["sqlite3"],
        testing: ["DivanSealedSQLite", "DivanSeal"]
    ),
    packageTargets("DivanLog", arrows: ["DivanPlatform"]),
    packageTargets("DivanCrypto", libraries: ["crypto"]),
    packageTargets("DivanCompression"),
    packageTargets("DivanJSON"),
    packageTargets("DivanStatus", arrows: ["DivanPlatform", "DivanJSON"]),
    packageTargets("DivanAudit", arrows: ["DivanPlatform", "DivanCrypto", "DivanJSON"]),
    packageTargets("DivanZlib", arrows: ["DivanCompression"], libraries: ["z"]),
    packageTargets(
        "DivanISAL",
        arrows: ["DivanZlib", "DivanCompression"],
        libraries: ["dl"],
        testing: ["DivanPlatform"]
    ),
    packageTargets("DivanLZ4", arrows: ["DivanCompression"], libraries: ["lz4"]),
    packageTargets(
        "DivanZstd",
        arrows: ["DivanCompression"],
        libraries: ["dl"],
        testing: ["DivanPlatform"]
    ),
    packageTargets(
        "DivanTLS",
        arrows: ["DivanPlatform", "DivanCrypto"],
        libraries: ["ssl", "crypto"]
    ),
    packageTargets("DivanHTTP", arrows: ["DivanPlatform"]),
    packageTargets("DivanWebSocket", arrows: ["DivanHTTP", "DivanCrypto"]),
    packageTargets(
        "DivanBLIP",
        arrows: ["DivanPlatform", "DivanCompression"],
        libraries: ["z"],
        testing: ["DivanZlib"]
    ),
    packageTargets(
        "DivanDelta",
        arrows: ["DivanJSON", "DivanCompression"],
        testing: ["DivanZlib", "DivanLZ4"]
    ),
    packageTargets("DivanRevisions", arrows: ["DivanJSON", "DivanCrypto"]),
    packageTargets("DivanQuery", arrows: ["DivanJSON"]),
    packageTargets(
        "DivanSQL",
        arrows: ["DivanQuery", "DivanJSON"],
        libraries: ["sqlite3", "icuuc", "icui18n"],
        testing: ["CDivanSQL", "DivanPlatform"]
    ),
    packageTargets(
        "DivanFullText",
        libraries: ["sqlite3", "stemmer", "icuuc"],
        testing: ["CDivanFullText"]
    ),
    packageTargets("DivanVectors", libraries: ["m"]),
    packageTargets(
        "DivanSeal",
        arrows: ["DivanPlatform"],
        libraries: ["crypto"],
        testing: ["CDivanSeal"]
    ),
    packageTargets(
        "DivanSealedSQLite",
        arrows: ["DivanSeal"],
        libraries: ["sqlite3", "crypto"],
        shimArrows: ["DivanSeal"],
        testing: ["CDivanSealedSQLite"]
    ),
    packageTargets(
        "DivanSealedFields",
        arrows: ["DivanPlatform", "DivanSeal", "DivanJSON", "DivanCrypto"]
    ),
    packageTargets(
        "DivanCBLite",
        arrows: ["DivanPlatform", "DivanSQLite", "DivanRevisions", "DivanCrypto"],
        libraries: ["c"],
        testing: ["DivanJSON"]
    ),
    packageTargets(
        "DivanAuth",
        arrows: ["DivanPlatform", "DivanCrypto", "DivanHTTP", "DivanJSON"],
        libraries: ["crypto"]
    ),
    packageTargets(
        "DivanDiscovery",
        arrows: ["DivanPlatform", "DivanHTTP", "DivanLog"],
        libraries: ["avahi-client", "avahi-common"]
    ),
    packageTargets("DivanMesh", arrows: ["DivanCrypto"]),
    packageTargets(
        "DivanTransport",
        arrows: ["DivanPlatform", "DivanWebSocket", "DivanHTTP", "DivanTLS", "DivanLog"],
        testing: ["DivanCrypto"]
    ),
    packageTargets(
        "DivanBLIPChannel",
        arrows: ["DivanBLIP", "DivanCompression", "DivanTransport"],
        testing: ["DivanSimulation", "DivanZlib", "DivanPlatform"]
    ),
    packageTargets(
        "DivanSimulation",
        arrows: ["DivanPlatform", "DivanTransport", "DivanWebSocket"]
    ),
    packageTargets(
        "DivanStorage",
        arrows: [
            "DivanPlatform",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCompression",
            "DivanCrypto",
            "DivanQuery",
            "DivanVectors",
            "DivanLog",
        ]
    ),
    packageTargets(
        "DivanMemoryEngine",
        arrows: ["DivanStorage", "DivanPlatform", "DivanRevisions", "DivanJSON"]
    ),
    packageTargets(
        "DivanSQLiteEngine",
        arrows: [
            "DivanStorage",
            "DivanPlatform",
            "DivanSQLite",
            "DivanRevisions",
            "DivanJSON",
            "DivanCompression",
            "DivanQuery",
            "DivanSQL",
            "DivanFullText",
            "DivanVectors",
            "DivanLog",
        ],
        libraries: ["sqlite3"],
        testing: ["CDivanSQLiteEngine", "DivanSealedSQLite", "DivanSeal"]
    ),
    packageTargets(
        "DivanStore",
        arrows: [
            "DivanStorage",
            "DivanMemoryEngine",
            "DivanPlatform",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCrypto",
            "DivanSealedFields",
            "DivanLog",
        ]
    ),
    packageTargets(
        "DivanDatabase",
        arrows: [
            "DivanStore",
            "DivanSQLiteEngine",
            "DivanPlatform",
            "DivanSQLite",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCrypto",
            "DivanQuery",
            "DivanSQL",
            "DivanFullText",
            "DivanVectors",
            "DivanLog",
        ],
        testing: [
            "CDivanDatabaseFaults", "DivanStorage", "DivanMemoryEngine", "DivanSealedFields",
            "DivanSealedSQLite", "DivanSeal", "DivanZlib", "DivanLZ4",
        ]
    ),
    [
        .target(
            name: "CDivanDatabaseFaults",
            path: "Packages/DivanDatabase/Tests/CDivanDatabaseFaults",
            linkerSettings: [.linkedLibrary("sqlite3")]
        )
    ],
    packageTargets("DivanConflicts", arrows: ["DivanRevisions", "DivanJSON"]),
    packageTargets(
        "DivanReplicator",
        arrows: [
            "DivanStore",
            "DivanBLIP",
            "DivanRevisions",
            "DivanSealedFields",
            "DivanDelta",
            "DivanJSON",
            "DivanCompression",
            "DivanCrypto",
            "DivanLog",
        ],
        testing: ["DivanDatabase", "DivanQuery", "DivanZlib", "DivanPlatform"]
    ),
    packageTargets(
        "DivanSession",
        arrows: [
            "DivanPlatform",
            "DivanReplicator",
            "DivanTransport",
            "DivanStore",
            "DivanConflicts",
            "DivanRevisions",
            "DivanCompression",
            "DivanWebSocket",
            "DivanHTTP",
            "DivanLog",
        ],
        testing: ["DivanDatabase", "DivanSimulation", "DivanZlib", "DivanCrypto"]
    ),
    packageTargets(
        "DivanListener",
        arrows: [
            "DivanPlatform",
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
    packageTargets(
        "DivanMeshPeer",
        arrows: [
            "DivanPlatform",
            "DivanMesh",
            "DivanDiscovery",
            "DivanSession",
            "DivanReplicator",
            "DivanConflicts",
            "DivanStore",
            "DivanRevisions",
            "DivanTransport",
            "DivanTLS",
            "DivanWebSocket",
            "DivanHTTP",
            "DivanZlib",
            "DivanCrypto",
            "DivanLog",
        ]
    ),
    packageTargets(
        "DivanREST",
        arrows: [
            "DivanPlatform",
            "DivanTransport",
            "DivanDatabase",
            "DivanQuery",
            "DivanRevisions",
            "DivanAuth",
            "DivanTLS",
            "DivanHTTP",
            "DivanJSON",
            "DivanCrypto",
            "DivanLog",
        ]
    ),
    packageTargets(
        "CouchbaseLiteSwift",
        arrows: [
            "DivanPlatform",
            "DivanListener",
            "DivanMeshPeer",
            "DivanMesh",
            "DivanDiscovery",
            "DivanSession",
            "DivanReplicator",
            "DivanConflicts",
            "DivanCBLite",
            "DivanDatabase",
            "DivanSeal",
            "DivanSealedSQLite",
            "DivanSealedFields",
            "DivanQuery",
            "DivanSQL",
            "DivanFullText",
            "DivanTransport",
            "DivanAuth",
            "DivanTLS",
            "DivanWebSocket",
            "DivanRevisions",
            "DivanDelta",
            "DivanJSON",
            "DivanCrypto",
            "DivanZlib",
            "DivanISAL",
            "DivanLZ4",
            "DivanZstd",
            "DivanCompression",
            "DivanStatus",
            "DivanLog",
        ],
        testing: ["DivanBLIP"]
    ),
    packageTargets(
        "DivanStudio",
        arrows: [
            "DivanPlatform",
            "DivanREST",
            "DivanQuery",
            "DivanTransport",
            "DivanDatabase",
            "DivanConflicts",
            "DivanRevisions",
            "DivanHTTP",
            "DivanJSON",
            "DivanMesh",
            "DivanCrypto",
        ],
        resources: [.embedInCode("Assets")]
    ),
    packageTargets(
        "Divan",
        arrows: [
            "CouchbaseLiteSwift",
            "DivanAuth",
            "DivanCompression",
            "DivanCrypto",
            "DivanDiscovery",
            "DivanExchange",
            "DivanJSON",
            "DivanLog",
            "DivanPlatform",
            "DivanQuery",
            "DivanRevisions",
            "DivanSQL",
            "DivanDatabase",
            "DivanTLS",
            "DivanTransport",
        ]
    ),
    packageTargets(
        "DivanExchange",
        arrows: [
            "CouchbaseLiteSwift",
            "DivanCompression",
            "DivanCrypto",
            "DivanDelta",
            "DivanJSON",
            "DivanLZ4",
            "DivanPlatform",
            "DivanQuery",
            "DivanRevisions",
            "DivanSQL",
            "DivanSQLite",
            "DivanDatabase",
            "DivanZlib",
            "DivanZstd",
        ]
    ),
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

/// Told by `make package`; a build that is not told names no commit, rather than an old one.
let commit: [CSetting] =
    Context.environment["DIVAN_COMMIT"].map { [.define("DIVAN_COMMIT", to: "\"\($0)\"")] } ?? []

/// The command, and the checks of the repository.
let tools: [Target] = [
    .target(
        name: "CDivanLineEditor",
        path: "Tools/command/Sources/CDivanLineEditor",
        linkerSettings: [.linkedLibrary("edit")]
    ),
    .target(name: "CDivanHolder", path: "Tools/command/Sources/CDivanHolder"),
    .target(
        name: "CDivanVersions",
        path: "Tools/command/Sources/CDivanVersions",
        cSettings: commit,
        linkerSettings: ["sqlite3", "crypto", "z", "lz4", "icuuc"].map { .linkedLibrary($0) }
    ),
    library(
        "DivanCommandLine",
        at: "Tools/command/Sources/DivanCommandLine",
        uses: ["DivanJSON", "DivanPlatform"]
    ),
    library(
        "DivanProbe",
        at: "Tools/command/Sources/DivanProbe",
        uses: ["DivanPlatform", "DivanTLS"]
    ),
    library(
        "DivanCommand",
        at: "Tools/command/Sources/DivanCommand",
        uses: [
            "CDivanHolder", "CDivanLineEditor", "CDivanVersions", "CouchbaseLiteSwift",
            "DivanAudit",
            "DivanAuth", "DivanBLIP", "DivanBLIPChannel", "DivanCBLite", "DivanCommandLine",
            "DivanCompression",
            "DivanConflicts", "DivanCrypto", "DivanDelta", "DivanDiscovery", "DivanExchange",
            "DivanHTTP", "DivanISAL",
            "DivanJSON", "DivanLZ4", "DivanLog", "DivanMesh", "DivanMeshPeer", "DivanPlatform",
            "DivanProbe", "DivanQuery",
            "DivanREST",
            "DivanReplicator", "DivanRevisions", "DivanSQL", "DivanSeal", "DivanSession",
            "DivanDatabase",
            "DivanStatus", "DivanStudio",
            "DivanTLS", "DivanTransport", "DivanWebSocket", "DivanZlib", "DivanZstd",
        ]
    ),
    program("divan", at: "Tools/command/Sources/divan", uses: ["DivanPlatform", "DivanCommand"]),
    program(
        "divan-demo",
        at: "Tools/command/Sources/divan-demo",
        uses: ["DivanPlatform", "DivanTestKit"]
    ),
    program(
        "studio-pictures",
        at: "Tools/command/Sources/studio-pictures",
        uses: [
            "DivanPlatform",
            "DivanCrypto", "DivanJSON", "DivanRevisions", "DivanDatabase", "DivanStudio",
            "DivanTestKit",
        ]
    ),
    program(
        "open-database",
        at: "Tools/command/Sources/open-database",
        uses: ["DivanPlatform", "CouchbaseLiteSwift", "DivanCommand"]
    ),
    tests(
        "DivanCommandTests",
        at: "Tools/command/Tests/DivanCommandTests",
        uses: [
            "DivanPlatform",
            "divan", "open-database", "studio-pictures", "CouchbaseLiteSwift", "DivanCommand",
            "DivanBLIP",
            "DivanBLIPChannel", "DivanCommandLine", "DivanCrypto", "DivanDiscovery", "DivanHTTP",
            "DivanJSON",
            "DivanLog", "DivanMesh", "DivanMeshPeer", "DivanRevisions", "DivanStatus",
            "DivanDatabase",
            "DivanStudio", "DivanTransport",
            "DivanTestKit", "DivanWebSocket", "DivanZlib",
        ]
    ),
    library("DivanCheck", at: "Tools/check/Sources/DivanCheck"),
    program("divan-check", at: "Tools/check/Sources/divan-check", uses: ["DivanCheck"]),
    tests("DivanCheckTests", at: "Tools/check/Tests/DivanCheckTests", uses: ["DivanCheck"]),
]

/// What the documentation shows; users of the libraries never build it.
let examples: [Target] = [
    program(
        "notes-example",
        at: "Docs/examples/Sources/notes-example",
        uses: ["Divan"]
    ),
    program(
        "photos-example",
        at: "Docs/examples/Sources/photos-example",
        uses: ["Divan"]
    ),
    program(
        "fleet-example",
        at: "Docs/examples/Sources/fleet-example",
        uses: ["Divan"]
    ),
    program(
        "search-example",
        at: "Docs/examples/Sources/search-example",
        uses: ["Divan"]
    ),
    program(
        "dashboard-example",
        at: "Docs/examples/Sources/dashboard-example",
        uses: ["Divan"]
    ),
    program(
        "migration-example",
        at: "Docs/examples/Sources/migration-example",
        uses: ["Divan"]
    ),
    program(
        "room-example",
        at: "Docs/examples/Sources/room-example",
        uses: ["Divan", "ExampleTerminal"]
    ),
    program(
        "guestbook-example",
        at: "Docs/examples/Sources/guestbook-example",
        uses: ["Divan"]
    ),
    program(
        "menu-server-example",
        at: "Docs/examples/Sources/menu-server-example",
        uses: ["Divan", "DivanHTTP", "DivanTransport"]
    ),
    program(
        "plug-ins-example",
        at: "Docs/examples/Sources/plug-ins-example",
        uses: ["CouchbaseLiteSwift", "DivanCompression", "DivanDiscovery", "DivanDatabase"]
    ),
    library("ExampleTerminal", at: "Docs/examples/Sources/ExampleTerminal"),
    program(
        "kiosk-example",
        at: "Docs/examples/Sources/kiosk-example",
        uses: ["Divan", "ExampleTerminal"]
    ),
    program(
        "robots-example",
        at: "Docs/examples/Sources/robots-example",
        uses: ["Divan", "ExampleTerminal"]
    ),
    program(
        "accounts-example",
        at: "Docs/examples/Sources/accounts-example",
        uses: ["Divan", "ExampleTerminal"]
    ),
    tests(
        "DivanExampleTests",
        at: "Docs/examples/Tests/DivanExampleTests",
        uses: [
            "kiosk-example", "robots-example", "accounts-example", "Divan", "DivanTestKit",
        ]
    ),
    library(
        "PlugIns",
        at: "Docs/examples/Sources/PlugIns",
        uses: [
            "DivanAuth", "DivanCompression", "DivanConflicts", "DivanDiscovery", "DivanJSON",
            "DivanLog", "DivanPlatform", "DivanQuery", "DivanRevisions", "DivanStorage",
            "DivanMemoryEngine",
            "DivanSQLiteEngine", "DivanTLS",
            "DivanTransport",
        ]
    ),
    tests(
        "PlugInTests",
        at: "Docs/examples/Tests/PlugInTests",
        uses: [
            "PlugIns", "plug-ins-example", "CouchbaseLiteSwift", "DivanAuth", "DivanCompression",
            "DivanConflicts", "DivanDiscovery", "DivanLog", "DivanDatabase", "DivanTLS",
            "DivanTransport", "DivanTestKit",
        ]
    ),
    tests(
        "ExampleTests",
        at: "Docs/examples/Tests/ExampleTests",
        uses: [
            "notes-example", "photos-example", "fleet-example", "room-example",
            "search-example", "dashboard-example", "migration-example",
            "guestbook-example", "menu-server-example", "plug-ins-example", "CouchbaseLiteSwift",
            "DivanTestKit",
        ]
    ),
    tests(
        "GuideTests",
        at: "Docs/examples/Tests/GuideTests",
        uses: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"]
    ),
]

/// What `make bench` runs: each figure with its floor in C.
let bench: [Target] = [
    .target(
        name: "CDivanFloors",
        path: "Tools/bench/Sources/CDivanFloors",
        linkerSettings: ["sqlite3", "ssl", "crypto", "z", "lz4"].map { .linkedLibrary($0) }
    ),
    library("DivanCharts", at: "Tools/bench/Sources/DivanCharts"),
    library(
        "DivanLinks",
        at: "Tools/bench/Sources/DivanLinks",
        uses: ["DivanPlatform", "DivanTestKit"]
    ),
    program(
        "divan-bench",
        at: "Tools/bench/Sources/divan-bench",
        uses: [
            "DivanPlatform",
            "CDivanFloors", "DivanCharts", "DivanLinks", "CouchbaseLiteSwift", "Divan", "DivanBLIP",
            "DivanBLIPChannel",
            "DivanCompression", "DivanCrypto", "DivanDelta", "DivanFullText", "DivanISAL",
            "DivanJSON", "DivanLZ4", "DivanLog", "DivanQuery", "DivanRevisions", "DivanDatabase",
            "DivanTestKit", "DivanTLS", "DivanTransport", "DivanVectors", "DivanWebSocket",
            "DivanZlib",
        ]
    ),
    tests(
        "DivanBenchTests",
        at: "Tools/bench/Tests/DivanBenchTests",
        uses: ["DivanPlatform", "DivanTestKit"]
    ),
    tests("DivanChartsTests", at: "Tools/bench/Tests/DivanChartsTests", uses: ["DivanCharts"]),
    tests(
        "DivanLinksTests",
        at: "Tools/bench/Tests/DivanLinksTests",
        uses: ["DivanPlatform", "DivanLinks", "DivanTestKit"]
    ),
]

/// Programs that `make` starts for hours, each with a small version among the tests, and tests that cross packages.
let trials: [Target] = [
    library(
        "DivanStress",
        at: "Tests/Stress/DivanStress",
        uses: [
            "DivanBLIP", "DivanCompression", "DivanCrypto", "DivanTestKit", "DivanWebSocket",
        ]
    ),
    program(
        "divan-stress",
        at: "Tests/Stress/divan-stress",
        uses: [
            "DivanPlatform",
            "DivanStress", "DivanLZ4", "DivanZlib",
        ]
    ),
    tests(
        "StressTests",
        at: "Tests/StressTests",
        uses: ["DivanStress", "DivanLZ4", "DivanZlib"]
    ),
    library(
        "DivanFuzz",
        at: "Tests/Fuzz/Sources/DivanFuzz",
        uses: [
            "DivanPlatform",
            "CouchbaseLiteSwift", "DivanAuth", "DivanBLIP", "DivanCBLite", "DivanCompression",
            "DivanCrypto",
            "DivanDelta", "DivanHTTP", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanQuery",
            "DivanReplicator", "DivanRevisions", "DivanSeal", "DivanDatabase", "DivanTestKit",
            "DivanTLS", "DivanWebSocket", "DivanZlib", "DivanZstd",
        ]
    ),
    tests(
        "FuzzTests",
        at: "Tests/FuzzTests",
        uses: ["CouchbaseLiteSwift", "DivanFuzz", "DivanTestKit"]
    ),
    library(
        "DivanGrowth",
        at: "Tests/Growth/DivanGrowth",
        uses: [
            "DivanPlatform",
            "DivanAuth", "DivanBLIP", "DivanConflicts", "DivanCrypto", "DivanDelta",
            "DivanHTTP",
            "DivanJSON", "DivanReplicator", "DivanRevisions", "DivanDatabase", "DivanTLS",
            "DivanWebSocket",
            "DivanZlib",
        ]
    ),
    program(
        "divan-growth",
        at: "Tests/Growth/divan-growth",
        uses: ["DivanPlatform", "DivanGrowth"]
    ),
    tests("GrowthTests", at: "Tests/GrowthTests", uses: ["DivanGrowth", "DivanTestKit"]),
    library(
        "DivanIndexTrial",
        at: "Tests/IndexTrial",
        uses: ["DivanJSON", "DivanQuery", "DivanDatabase"]
    ),
    program(
        "divan-crash",
        at: "Tests/Crash",
        uses: [
            "DivanPlatform",
            "CouchbaseLiteSwift", "DivanIndexTrial", "DivanJSON", "DivanQuery", "DivanRevisions",
            "DivanDatabase", "DivanTestKit",
        ]
    ),
    tests(
        "CrashTests",
        at: "Tests/CrashTests",
        uses: ["DivanPlatform", "divan-crash", "DivanTestKit"]
    ),
    program(
        "divan-kill-sync",
        at: "Tests/KillSync",
        uses: [
            "DivanPlatform",
            "CouchbaseLiteSwift", "DivanDelta", "DivanIndexTrial", "DivanJSON", "DivanLZ4",
            "DivanRevisions",
            "DivanDatabase", "DivanTestKit", "DivanWebSocket", "DivanZlib",
        ]
    ),
    tests(
        "KillSyncTests",
        at: "Tests/KillSyncTests",
        uses: ["DivanPlatform", "divan-kill-sync", "DivanTestKit"]
    ),
    program(
        "divan-bitrot",
        at: "Tests/BitRot",
        uses: [
            "DivanPlatform",
            "CouchbaseLiteSwift", "DivanDelta", "DivanLZ4", "DivanRevisions", "DivanDatabase",
            "DivanTestKit",
            "DivanZlib",
        ]
    ),
    tests(
        "BitRotTests",
        at: "Tests/BitRotTests",
        uses: ["divan-bitrot", "DivanTestKit"]
    ),
    program(
        "divan-pictures",
        at: "Tests/Pictures",
        uses: ["DivanPlatform", "CouchbaseLiteSwift", "DivanTestKit"]
    ),
    tests(
        "PicturesTests",
        at: "Tests/PicturesTests",
        uses: ["divan-pictures", "DivanTestKit"]
    ),
    program(
        "divan-live",
        at: "Tests/Live",
        uses: ["DivanPlatform", "CouchbaseLiteSwift", "DivanTestKit"]
    ),
    tests(
        "LiveTests",
        at: "Tests/LiveTests",
        uses: ["divan-live", "DivanTestKit"]
    ),
    program(
        "divan-soak",
        at: "Tests/Soak",
        uses: ["DivanPlatform", "CouchbaseLiteSwift", "DivanTestKit"]
    ),
    program(
        "divan-attack",
        at: "Tests/Attack",
        uses: [
            "DivanPlatform",
            "CouchbaseLiteSwift", "DivanAuth", "DivanBLIP", "DivanCrypto", "DivanTestKit",
            "DivanTLS",
            "DivanWebSocket", "DivanZlib",
        ]
    ),
    tests(
        "AttackTests",
        at: "Tests/AttackTests",
        uses: ["DivanPlatform", "divan-attack", "DivanTestKit"]
    ),
    tests(
        "SoakTests",
        at: "Tests/SoakTests",
        uses: ["divan-soak", "DivanTestKit"]
    ),
    .target(
        name: "CDivanDisk",
        path: "Tests/Simulation/CDivanDisk",
        linkerSettings: [.linkedLibrary("sqlite3")]
    ),
    library(
        "DivanFleet",
        at: "Tests/Simulation/DivanFleet",
        uses: [
            "DivanPlatform",
            "CDivanDisk", "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto",
            "DivanDelta",
            "DivanJSON", "DivanLog", "DivanQuery", "DivanReplicator", "DivanRevisions",
            "DivanSession", "DivanSimulation", "DivanDatabase", "DivanTestKit", "DivanTransport",
            "DivanZlib",
        ]
    ),
    program(
        "divan-simulate",
        at: "Tests/Simulation/divan-simulate",
        uses: ["DivanPlatform", "DivanFleet"]
    ),
    tests(
        "SimulationTests",
        at: "Tests/SimulationTests",
        uses: ["DivanPlatform", "DivanFleet", "DivanTestKit"]
    ),
    library("Logging", at: "Tests/Coexistence/Logging", uses: []),
    tests(
        "CoexistenceTests",
        at: "Tests/CoexistenceTests",
        uses: ["CouchbaseLiteSwift", "Divan", "Logging"]
    ),
    tests(
        "EndToEndTests",
        at: "Tests/EndToEndTests",
        uses: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"]
    ),
    program(
        "websocket-echo",
        at: "Tests/Wire/websocket-echo",
        uses: [
            "DivanPlatform",
            "DivanTLS", "DivanTransport", "DivanWebSocket",
        ]
    ),
    program(
        "blip-echo",
        at: "Tests/Wire/blip-echo",
        uses: [
            "DivanPlatform",
            "DivanBLIP", "DivanBLIPChannel", "DivanTransport", "DivanWebSocket", "DivanZlib",
        ]
    ),
    program(
        "tls-probe",
        at: "Tests/Wire/tls-probe",
        uses: ["DivanPlatform", "DivanProbe", "DivanTLS"]
    ),
    program(
        "websocket-autobahn",
        at: "Tests/Wire/websocket-autobahn",
        uses: [
            "DivanPlatform",
            "DivanJSON", "DivanLog", "DivanTransport", "DivanWebSocket",
        ]
    ),
    tests(
        "ExampleProgramTests",
        at: "Tests/ExampleProgramTests",
        uses: [
            "DivanPlatform",
            "blip-echo", "tls-probe", "websocket-autobahn", "websocket-echo", "DivanTestKit",
        ]
    ),
]

/// The layers whose tests need no socket, disk or process; `make smoke` builds only them.
let cores: Set = [
    "DivanBLIP", "DivanCompression", "DivanConflicts", "DivanCrypto", "DivanDelta", "DivanHTTP",
    "DivanISAL",
    "DivanJSON", "DivanLZ4", "DivanLog", "DivanMesh", "DivanPlatform", "DivanQuery",
    "DivanRevisions", "DivanTestKit", "DivanVectors", "DivanWebSocket",
    "DivanZlib", "DivanZstd",
]

/// `DIVAN_ONLY` names a package, or `cores`: only it, its tests and what these need are built.
let only: Set<String>? = Context.environment["DIVAN_ONLY"].map { $0 == "cores" ? cores : [$0] }

/// The named packages, with their tests, and all that these need.
func select(_ only: Set<String>, of packages: [[Target]]) -> [Target] {
    let all = packages.flatMap { $0 }
    var selected: Set<String> = []
    var open = packages.filter { only.contains($0[0].name) }.flatMap { $0 }
    while let target = open.popLast() {
        guard selected.insert(target.name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies {
            open += all.filter { $0.name == name }
        }
    }
    return all.filter { selected.contains($0.name) }
}

let layers = only.map { select($0, of: packages) } ?? packages.flatMap { $0 }

/// What outside users may depend on: each package's library, the shims of C libraries left out.
let libraries = layers.filter { $0.type == .regular && !$0.name.hasPrefix("CDivan") }.map(\.name)

let package = Package(
    name: "Divan",
    products: libraries.map { .library(name: $0, targets: [$0]) }
        + (only != nil
            ? []
            : [
                .executable(name: "divan", targets: ["divan"]),
                // For programs that let the command work on their databases: `CommandSocket`.
                .library(name: "DivanCommand", targets: ["DivanCommand"]),
            ]),
    targets: layers + (only != nil ? [] : tools + bench + trials + examples)
)
