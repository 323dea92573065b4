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
    name: "Examples",
    dependencies: [
        .package(path: "../../Packages/CouchbaseLiteSwift"),
        .package(path: "../../Packages/Divan"),
        .package(path: "../../Packages/DivanAuth"),
        .package(path: "../../Packages/DivanCompression"),
        .package(path: "../../Packages/DivanConflicts"),
        .package(path: "../../Packages/DivanDatabase"),
        .package(path: "../../Packages/DivanDiscovery"),
        .package(path: "../../Packages/DivanHTTP"),
        .package(path: "../../Packages/DivanJSON"),
        .package(path: "../../Packages/DivanLog"),
        .package(path: "../../Packages/DivanMemoryEngine"),
        .package(path: "../../Packages/DivanPlatform"),
        .package(path: "../../Packages/DivanQuery"),
        .package(path: "../../Packages/DivanRevisions"),
        .package(path: "../../Packages/DivanSQLiteEngine"),
        .package(path: "../../Packages/DivanStorage"),
        .package(path: "../../Packages/DivanTLS"),
        .package(path: "../../Packages/DivanTestKit"),
        .package(path: "../../Packages/DivanTransport"),
    ],
    targets: [
        .executableTarget(
            name: "notes-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "photos-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "fleet-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "search-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "dashboard-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "migration-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "room-example",
            dependencies: ["Divan", "ExampleTerminal"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "guestbook-example",
            dependencies: ["Divan"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "menu-server-example",
            dependencies: ["Divan", "DivanHTTP", "DivanTransport"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "plug-ins-example",
            dependencies: [
                "CouchbaseLiteSwift", "DivanCompression", "DivanDiscovery", "DivanDatabase",
            ],
            swiftSettings: strict
        ),
        .target(name: "ExampleTerminal", swiftSettings: strict),
        .executableTarget(
            name: "kiosk-example",
            dependencies: ["Divan", "ExampleTerminal"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "robots-example",
            dependencies: ["Divan", "ExampleTerminal"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "accounts-example",
            dependencies: ["Divan", "ExampleTerminal"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "DivanExampleTests",
            dependencies: [
                "kiosk-example", "robots-example", "accounts-example", "Divan", "DivanTestKit",
            ],
            swiftSettings: strict
        ),
        .target(
            name: "PlugIns",
            dependencies: [
                "DivanAuth", "DivanCompression", "DivanConflicts", "DivanDiscovery", "DivanJSON",
                "DivanLog", "DivanPlatform", "DivanQuery", "DivanRevisions", "DivanStorage",
                "DivanMemoryEngine",
                "DivanSQLiteEngine",
                "DivanTLS", "DivanTransport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PlugInTests",
            dependencies: [
                "PlugIns", "plug-ins-example", "CouchbaseLiteSwift", "DivanAuth",
                "DivanCompression",
                "DivanConflicts", "DivanDiscovery", "DivanLog", "DivanDatabase", "DivanTLS",
                "DivanTransport", "DivanTestKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "notes-example", "photos-example", "fleet-example", "room-example",
                "search-example", "dashboard-example", "migration-example",
                "guestbook-example", "menu-server-example", "plug-ins-example",
                "CouchbaseLiteSwift",
                "DivanTestKit",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "GuideTests",
            dependencies: ["CouchbaseLiteSwift", "Divan", "DivanTestKit"],
            swiftSettings: strict
        ),
    ]
)
