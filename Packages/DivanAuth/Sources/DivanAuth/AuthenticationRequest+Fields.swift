/// The fields of a request by which its sender might be let in.
extension AuthenticationRequest {
    /// Whether it has an `Authorization` field, or certificates.
    var hasAuthorizationOrCertificate: Bool { authorization != nil || !certificates.isEmpty }

    /// The fields that are none of those that clients, browsers and proxies send without a thought.
    var credentialFields: [(name: String, value: String)] {
        var fields = headers.filter { Self.isTelling($0.name.lowercased(), $0.value) }
        if let authorization, !fields.contains(where: Self.isAuthorization) {
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

    private static func isTelling(_ name: String, _ value: String) -> Bool {
        // Browsers, which cannot add fields, put tokens beside the names of protocols.
        if name == "sec-websocket-protocol" {
            return !value.split(separator: ",").allSatisfy { part in
                part.drop { $0 == " " || $0 == "\t" }.hasPrefix("BLIP_3")
            }
        }
        return !plainFields.contains(name) && !plainPrefixes.contains { name.hasPrefix($0) }
    }

    private static let plainPrefixes = ["sec-fetch-", "sec-ch-", "access-control-request-", "if-"]

    private static let plainFields: Set<String> = [
        "host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version",
        "sec-websocket-extensions", "origin", "referer", "user-agent", "accept", "accept-charset",
        "accept-encoding", "accept-language", "cache-control", "pragma", "content-length",
        "content-type", "content-encoding", "transfer-encoding", "expect", "te", "trailer", "date",
        "dnt", "priority", "range", "sec-gpc", "upgrade-insecure-requests", "keep-alive",
        "proxy-connection", "last-event-id",
        // Of proxies.
        "via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-port",
        "x-forwarded-proto", "x-forwarded-server", "x-forwarded-prefix", "x-real-ip",
        "x-request-id", "x-correlation-id", "traceparent", "tracestate", "x-amzn-trace-id",
        "cdn-loop", "cf-ray", "cf-connecting-ip", "cf-ipcountry", "cf-visitor",
    ]
}
