/// Reads an unsigned LEB128 number and moves `offset` past it; `nil` if it is incomplete.
func readVarint(
    _ bytes: Span<UInt8>,
    at offset: inout Int
) throws(BLIPError.Reason) -> UInt64? {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    var index = offset
    while index < bytes.count {
        let byte = bytes[index]
        index += 1
        // The tenth byte contains the last bit of 64.
        guard shift < 63 || byte <= 1 else { throw .varintTooLong }
        number |= UInt64(byte & 0x7F) << shift
        if byte < 0x80 {
            offset = index
            return number
        }
        shift += 7
    }
    return nil
}

func appendVarint(_ number: UInt64, to output: inout [UInt8]) {
    if number < 0x80 { return output.append(UInt8(truncatingIfNeeded: number)) }
    var rest = number
    while rest >= 0x80 {
        output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
        rest >>= 7
    }
    output.append(UInt8(truncatingIfNeeded: rest))
}

func varintByteCount(_ number: UInt64) -> Int {
    max(1, (64 - number.leadingZeroBitCount + 6) / 7)
}
