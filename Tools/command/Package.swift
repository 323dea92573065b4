// swift-tools-version: 6.2
import PackageDescription

// The same settings in every package of the repository; `make check` compares them.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

// Told by `make package`; a build that is not told names none, rather than an old one.
let commit: [CSetting] =
    Context.environment["DIVAN_COMMIT"].map { [.define("DIVAN_COMMIT", to: "\"\($0)\"")] } ?? []

let package = Package(
    name: "DivanTool",
    products: [
        .executable(name: "divan", targets: ["divan"]),
        // For programs that let the command work on their databases: `CommandSocket`.
        .library(name: "DivanCommand", targets: ["DivanCommand"]),
    ],
    dependencies: [
        .package(path: "../../Packages/CouchbaseLiteSwift"),
        .package(path: "../../Packages/DivanAudit"),
        .package(path: "../../Packages/DivanAuth"),
        .package(path: "../../Packages/DivanBLIP"),
        .package(path: "../../Packages/DivanBLIPChannel"),
        .package(path: "../../Packages/DivanCBLite"),
        .package(path: "../../Packages/DivanCompression"),
        .package(path: "../../Packages/DivanConflicts"),
        .package(path: "../../Packages/DivanCrypto"),
        .package(path: "../../Packages/DivanDatabase"),
        .package(path: "../../Packages/DivanDelta"),
        .package(path: "../../Packages/DivanDiscovery"),
        .package(path: "../../Packages/DivanExchange"),
        .package(path: "../../Packages/DivanHTTP"),
        .package(path: "../../Packages/DivanISAL"),
        .package(path: "../../Packages/DivanJSON"),
        .package(path: "../../Packages/DivanLZ4"),
        .package(path: "../../Packages/DivanLog"),
        .package(path: "../../Packages/DivanMesh"),
        .package(path: "../../Packages/DivanMeshPeer"),
        .package(path: "../../Packages/DivanPlatform"),
        .package(path: "../../Packages/DivanQuery"),
        .package(path: "../../Packages/DivanREST"),
        .package(path: "../../Packages/DivanReplicator"),
        .package(path: "../../Packages/DivanRevisions"),
        .package(path: "../../Packages/DivanSQL"),
        .package(path: "../../Packages/DivanSeal"),
        .package(path: "../../Packages/DivanSession"),
        .package(path: "../../Packages/DivanStatus"),
        .package(path: "../../Packages/DivanStudio"),
        .package(path: "../../Packages/DivanTLS"),
        .package(path: "../../Packages/DivanTestKit"),
        .package(path: "../../Packages/DivanTransport"),
        .package(path: "../../Packages/DivanWebSocket"),
        .package(path: "../../Packages/DivanZlib"),
        .package(path: "../../Packages/DivanZstd"),
    ],
    targets: [
        .target(name: "CDivanHolder"),
        .target(
            name: "CDivanVersions",
            cSettings: commit,
            linkerSettings: ["sqlite3", "crypto", "z", "lz4", "icuuc"].map { .linkedLibrary($0) }
        ),
        .target(name: "CDivanLineEditor", linkerSettings: [.linkedLibrary("edit")]),
        .target(
            name: "DivanCommandLine",
            dependencies: ["DivanPlatform", "DivanJSON"],
            swiftSettings: strict
        ),
        .target(
            name: "DivanProbe",
            dependencies: ["DivanPlatform", "DivanTLS"],
            swiftSettings: strict
        ),
        .target(
            name: "DivanCommand",
            dependencies: [
                "DivanPlatform",
                "CDivanHolder", "CDivanLineEditor", "CDivanVersions", "CouchbaseLiteSwift",
                "DivanAudit",
                "DivanAuth", "DivanBLIP", "DivanBLIPChannel", "DivanCBLite", "DivanCommandLine",
                "DivanCompression",
                "DivanConflicts", "DivanCrypto", "DivanDelta", "DivanDiscovery", "DivanExchange",
                "DivanHTTP", "DivanISAL", "DivanJSON", "DivanLZ4", "DivanLog", "DivanMesh",
                "DivanMeshPeer", "DivanProbe",
                "DivanQuery",
                "DivanREST",
                "DivanReplicator",
                "DivanRevisions", "DivanSQL", "DivanSeal", "DivanSession", "DivanStatus",
                "DivanDatabase",
                "DivanStudio",
                "DivanTLS",
                "DivanTransport", "DivanWebSocket", "DivanZlib", "DivanZstd",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan",
            dependencies: ["DivanPlatform", "DivanCommand"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "divan-demo",
            dependencies: ["DivanPlatform", "DivanTestKit"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "studio-pictures",
            dependencies: [
                "DivanPlatform",
                "DivanCrypto", "DivanJSON", "DivanRevisions", "DivanDatabase", "DivanStudio",
                "DivanTestKit",
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "open-database",
            dependencies: ["DivanPlatform", "CouchbaseLiteSwift", "DivanCommand"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanCommandTests",
            dependencies: [
                "DivanPlatform",
                "divan", "open-database", "studio-pictures", "CouchbaseLiteSwift", "DivanCommand",
                "DivanBLIP",
                "DivanBLIPChannel", "DivanCommandLine", "DivanCrypto", "DivanDiscovery",
                "DivanHTTP", "DivanJSON",
                "DivanLog", "DivanMesh", "DivanMeshPeer", "DivanRevisions", "DivanStatus",
                "DivanDatabase", "DivanStudio", "DivanTransport",
                "DivanTestKit", "DivanWebSocket", "DivanZlib",
            ],
            swiftSettings: strict
        ),
    ]
)
