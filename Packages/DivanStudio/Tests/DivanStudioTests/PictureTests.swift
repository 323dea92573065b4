import DivanHTTP
import DivanJSON
import DivanStore
import DivanStudio
import Foundation
import Testing

/// Pictures of the pages for the documentation, in the folder that `DIVAN_PICTURES` names; elsewhere they
/// are made and looked at only for being pictures.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PictureTests {
    @Test func `the pages of the documentation can be drawn`() throws {
        let room = try Room(peers: [Self.process])
        let soups = [
            "Borscht", "Gazpacho", "Minestrone", "Miso", "Pho", "Ramen", "Tom yum", "Goulash",
        ]
        for (number, name) in soups.enumerated() {
            let id = name.lowercased().replacing(" ", with: "-")
            for salt in 0..<3 {
                try room.put(
                    id,
                    #"{"minutes":\#(20 + 7 * number),"name":"\#(name)","salt":\#(salt),"spicy":\#(number % 2 == 0)}"#
                )
            }
        }
        try room.makeConflict("chair")
        let browser = try Browser()
        try browser.shape(width: 1100, height: 640)
        try browser.open(room.address)
        for (name, path, dark) in [
            ("studio-collection", "/collection?collection=_default", false),
            ("studio-document", "/document?id=chair", false),
            ("studio-conflict", "/conflict?id=chair", true),
            (
                "studio-query",
                "/query?q=SELECT+name%2C+minutes+FROM+_+WHERE+minutes+%3E+40+ORDER+BY+minutes",
                false
            ),
            ("studio-peers", "/peers", true),
        ] {
            try browser.shape(width: 1100, height: 640, dark: dark)
            try browser.open(room.origin + path)
            if path.hasPrefix("/query") { try browser.wait("document.querySelector('#plan')") }
            try keep(try browser.picture(), as: name)
        }
        try browser.shape(width: 390, height: 700)
        try browser.open("\(room.origin)/document?id=chair")
        try keep(try browser.picture(), as: "studio-phone")
    }

    /// What a serving process tells of itself.
    private static let process: JSON = [
        "verb": "serve", "pid": 4711, "urls": ["wss://kitchen.local:4984/kitchen"],
        "connections": ["open": 3], "documents": ["sent": 1204, "received": 87],
        "rates": ["documents": 12, "bytes": 5400], "deltas": ["bytesSaved": 182_000],
        "peers": [
            [
                "user": "anna", "address": "192.168.0.7", "active": true,
                "documentsSent": 800, "documentsReceived": 61,
            ],
            [
                "user": "bo", "address": "192.168.0.9", "active": false,
                "documentsSent": 304, "documentsReceived": 20,
            ],
            [
                "certificate": "CN=fridge", "address": "192.168.0.20", "active": true,
                "documentsSent": 100, "documentsReceived": 6,
            ],
        ],
    ]

    private func keep(_ picture: Data, as name: String) throws {
        #expect(picture.starts(with: [0x89, 0x50, 0x4E, 0x47]) && picture.count > 5_000, "\(name)")
        guard let folder = ProcessInfo.processInfo.environment["DIVAN_PICTURES"] else { return }
        try picture.write(to: URL(filePath: "\(folder)/\(name).png"))
    }
}
