/// The fields of a request that may authenticate its sender.
extension AuthenticationRequest {
    /// The fields with these names, in any letter case, that may identify the sender.
    func telling(_ names: [String]) -> [(name: String, value: String)] {
        let names = Set(names.map { $0.lowercased() })
        var fields = headers.filter { field in
            let name = field.name.lowercased()
            return names.contains(name) && Self.isTelling(name, field.value)
        }
        if let authorization, names.contains("authorization"),
            !fields.contains(where: Self.isAuthorization)
        {
            fields.append(("Authorization", authorization))
        }
        return fields
    }

    /// The request without name, password and certificates.
    var withoutAuthorization: AuthenticationRequest {
        AuthenticationRequest(
            headers: headers.filter { !Self.isAuthorization($0) },
            remoteAddress: remoteAddress
        )
    }

    private static func isAuthorization(_ field: (name: String, value: String)) -> Bool {
        field.name.lowercased() == "authorization"
    }

    /// Browsers, which cannot add fields, send tokens among the names of protocols.
    private static func isTelling(_ name: String, _ value: String) -> Bool {
        guard name == "sec-websocket-protocol" else { return true }
        return !value.split(separator: ",").allSatisfy { part in
            part.drop { $0 == " " || $0 == "\t" }.hasPrefix("BLIP_3")
        }
    }
}
