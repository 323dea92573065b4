import DivanCBLite
import DivanJSON
import DivanRevisions
import DivanTestKit

/// Any bytes in the columns of a foreign database are either a document whose bodies are JSON and whose
/// history another of our databases could store, or damage that is reported.
enum ForeignRecords: FuzzTarget {
    static let name = "foreign-records"

    static func violation(of input: [UInt8]) -> String? {
        var reader = InputReader(input)
        let flags = Int64(reader.byte())
        let keys = try? SharedKeys(fleece: reader.piece())
        let version = reader.piece()
        let (body, extra) = (reader.piece(), reader.piece())
        let owner = SourceID(bytes: [UInt8](repeating: 7, count: 16)) ?? .me
        let records = RecordReader(keys: keys ?? SharedKeys(), owner: owner)
        let record = Record(
            key: Array("document".utf8),
            sequence: 7,
            flags: flags & 0x0F,
            version: version,
            body: flags & 0x10 == 0 ? body : nil,
            extra: flags & 0x20 == 0 ? extra : nil
        )
        let document: ForeignDocument
        do throws(RecordDamage) {
            document = try records.document(record)
        } catch {
            return error.description.isEmpty ? "damage without a word" : nil
        }
        guard let current = document.current else { return "no current revision" }
        for revision in document.history.revisionsWithBody {
            guard let body = revision.body, let json = try? JSON(parsing: body.span),
                json.object != nil
            else { return "the body of \(revision.id) is no JSON object" }
        }
        return flaw(in: document.history, current)
    }

    private static func flaw(
        in history: any RevisionHistory,
        _ current: HistoryRevision
    ) -> String? {
        let scheme: RevisionScheme = history is VectorHistory ? .vectors : .trees
        let again = try? scheme.history(decoding: history.encoded().span, current: current)
        guard let again, again.current?.id == current.id else {
            return "the history cannot be stored"
        }
        return again.encoded() == history.encoded() ? nil : "the history comes back changed"
    }

    static func seeds() throws -> [[UInt8]] {
        samples.map { flags, columns in
            var seed = [flags]
            for hex in columns { seed += piece([UInt8](hex: hex) ?? []) }
            return seed
        }
    }

    /// An array of three keys, then rows of databases created by LiteCore: known to two remotes, in
    /// conflict, in conflict with vectors, changed from a tree to a vector.
    private static let samples: [(UInt8, [String])] = [
        (
            0,
            [
                "41614262630043646566426b3000426b3100426b3200426b3300426b3400426b3500426b3600426b3700426b"
                    + "3800426b3900436b3130436b3131436b3132436b3133436b3134436b3135436b3136436b3137436b3138436b"
                    + "31396017802e802e802d802c802b802a8029802880278026802580248023802280218020801f801e801d801c"
                    + "801b801a80198018",
                "033f736a7ba5023e7c7bb4b0d18044c839f7b2af76",
                "436d653260030001000200034f2873686172656420627920616c6c207265766973696f6e73206f6620746869"
                    + "7320646f63756d656e74486d6f7665642d6f6e0070040015801c001b802200c6802600d0800d8009",
                "0000001e00010215033f736a7ba5023e7c7bb4b0d18044c839f7b2af76000000001f0002001502c18e7145d6"
                    + "4a17c975443797e6c260f89bac2cc4e10200000067ffff901501f991a9a94491a14694a66af5de5a87e89e83"
                    + "15e9c80244626173650060030001000200034f2873686172656420627920616c6c207265766973696f6e7320"
                    + "6f66207468697320646f63756d656e74700300158017001b801d00c680228007000000000001000200020001"
                    + "00000000",
            ]
        ),
        (
            2,
            [
                "41614262630043646566426b3000426b3100426b3200426b3300426b3400426b3500426b3600426b3700426b"
                    + "3800426b3900436b3130436b3131436b3132436b3133436b3134436b3135436b3136436b3137436b3138436b"
                    + "31396017802e802e802d802c802b802a8029802880278026802580248023802280218020801f801e801d801c"
                    + "801b801a80198018",
                "0208ea36f10863cc47649db747092245b81e354143",
                "426d650060030001000200034f2873686172656420627920616c6c207265766973696f6e73206f6620746869"
                    + "7320646f63756d656e744a636f6e666c6963742d310070040015801d001b802300c6802700cd800e8009",
                "0000001f000202150208ea36f10863cc47649db747092245b81e354143da02000000740003b215036549c582"
                    + "03707278961bdff92774feb92514689e004f2873686172656420627920616c6c207265766973696f6e73206f"
                    + "66207468697320646f63756d656e746003000100020003436875624a636f6e666c6963742d31007004001580"
                    + "23001b801000c6800e00ce800e800900000067ffff901501f991a9a94491a14694a66af5de5a87e89e8315e9"
                    + "c00244626173650060030001000200034f2873686172656420627920616c6c207265766973696f6e73206f66"
                    + "207468697320646f63756d656e74700300158017001b801d00c6802280070000001e0002201502cd02990af8"
                    + "97c75b5500626fbc8f957b2fd82b280000000000000100010002000200000000",
            ]
        ),
        (
            2,
            [
                "41614262630043646566426b3000426b3100426b3200426b3300426b3400426b3500426b3600426b3700426b"
                    + "3800426b3900436b3130436b3131436b3132436b3133436b3134436b3135436b3136436b3137436b3138436b"
                    + "31396017802e802e802d802c802b802a8029802880278026802580248023802280218020801f801e801d801c"
                    + "801b801a80198018",
                "008380c8c791c4efe93180",
                "4f2873686172656420627920616c6c207265766973696f6e73206f66207468697320646f63756d656e746003"
                    + "000100020003426d65004a636f6e666c6963742d3100700400158023001b801000c6800e00cd800e8009",
                "000000007001412ec00e4f2873686172656420627920616c6c207265766973696f6e73206f66207468697320"
                    + "646f63756d656e7460030001000200034368756270040015801d001b800a00c6800800cec0385f1f00c2ad84"
                    + "f1bbba0c90c237301f2556479dba93d27fb64567b8f1ff97dc070000700341260002412e801e414080174f28"
                    + "73686172656420627920616c6c207265766973696f6e73206f66207468697320646f63756d656e7460030001"
                    + "0002000344626173650070030015801e001b800b00c680095b009180f0d989c4efe931807002412e800f4140"
                    + "800a6003806e803780088004",
            ]
        ),
        (
            0,
            [
                "41614262630043646566426b3000426b3100426b3200426b3300426b3400426b3500426b3600426b3700426b"
                    + "3800426b3900436b3130436b3131436b3132436b3133436b3134436b3135436b3136436b3137436b3138436b"
                    + "31396017802e802e802d802c802b802a8029802880278026802580248023802280218020801f801e801d801c"
                    + "801b801a80198018",
                "00e88786f1bbba0c9097c5100364974868aca6d2e368951f61",
                "4a687562206f6e20342e3100700100c680088003",
                "000000005f15017381050b1774c41520a1aa1a872b883f299f8728007002412ec014417e80105f1900e88786"
                    + "f1bbba0c9097c5100364974868aca6d2e368951f61007002412ec027414080126002801980078003",
            ]
        ),
    ]
}
