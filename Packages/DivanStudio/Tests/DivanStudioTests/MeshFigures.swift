import DivanJSON

/// Published meshes.
enum MeshFigures {
    /// An ID of 32 equal bytes.
    static func id(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return String(repeating: byte < 16 ? "0" + digits : digits, count: 32)
    }

    /// Five peers: two linked to the kitchen, one beyond them, and one that is offline.
    static func kitchen(rate: Int = 12, pending: Int = 40, updated: String = "1") -> JSON {
        [
            "verb": "mesh", "database": "notes", "group": "home", "peerID": .string(id(0x10)),
            "name": "kitchen", "pid": 7, "port": 4985, "online": 3, "connections": ["open": 2],
            "updated": .string(updated),
            "peers": [
                [
                    "peerID": .string(id(0x50)), "name": "hall", "online": true,
                    "direction": "outgoing", "reason": "ring", "activity": "busy",
                    "rate": JSON(rate), "pending": JSON(pending), "documents": 7,
                    "neighbours": [.string(id(0x10)), .string(id(0x90))],
                ],
                [
                    "peerID": .string(id(0x90)), "online": true, "activity": "stopped",
                    "documents": 0,
                    "neighbours": [.string(id(0x50)), .string(id(0xD0)), .string(id(0x30))],
                ],
                [
                    "peerID": .string(id(0xD0)), "name": "hall", "online": true,
                    "direction": "incoming", "reason": "surplus", "activity": "idle",
                    "rate": 0, "pending": 0, "documents": 1,
                    "neighbours": [.string(id(0x10)), .string(id(0x90))],
                ],
                [
                    "peerID": .string(id(0x30)), "online": false, "activity": "stopped",
                    "documents": 0, "neighbours": [.string(id(0x50))], "compatible": false,
                    "error": "certificate rejected",
                ],
            ],
        ]
    }

    /// A mesh of many peers; names are long, and contain what XML and terminals treat specially.
    static func large(peerCount: Int) -> JSON {
        let others = (1..<peerCount).map { number -> JSON in
            let next = number + 1 < peerCount ? number + 1 : 1
            return [
                "peerID": .string(numbered(number)), "online": .bool(number % 10 != 0),
                "name": .string("peer \(number) <&\">\u{1B} of the large hall"),
                "direction": "outgoing", "reason": "hash", "activity": "busy", "rate": 1_000,
                "pending": 1_000, "neighbours": [.string(numbered(next)), .string(numbered(0))],
            ]
        }
        return [
            "verb": "mesh", "database": "notes", "group": "hall", "peerID": .string(numbered(0)),
            "peers": .array(others),
        ]
    }

    private static func numbered(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
            + String(repeating: "a", count: 48)
    }
}
