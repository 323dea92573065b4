// Seven bits to a byte, as varints have them, the lowest first: eight bytes in three steps.
extension UInt64 {
    /// The lower 56 bits with a zero above each seven.
    var inSevens: UInt64 {
        var bits = self
        bits = bits & 0x0000_0000_0FFF_FFFF | bits << 4 & 0x0FFF_FFFF_0000_0000
        bits = bits & 0x0000_3FFF_0000_3FFF | bits << 2 & 0x3FFF_0000_3FFF_0000
        return bits & 0x007F_007F_007F_007F | bits << 1 & 0x7F00_7F00_7F00_7F00
    }

    /// Takes what `inSevens` gave.
    init(sevens: UInt64) {
        var bits = sevens
        bits = bits & 0x007F_007F_007F_007F | bits >> 1 & 0x3F80_3F80_3F80_3F80
        bits = bits & 0x0000_3FFF_0000_3FFF | bits >> 2 & 0x0FFF_C000_0FFF_C000
        self = bits & 0x0000_0000_0FFF_FFFF | bits >> 4 & 0x00FF_FFFF_F000_0000
    }
}
