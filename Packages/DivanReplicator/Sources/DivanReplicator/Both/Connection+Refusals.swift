import DivanBLIP
import DivanLog

/// How a request is refused.
extension Connection {
    func refuse(_ request: BLIPIncomingRequest, with error: SyncError) {
        refuse(request.isNoReply ? nil : request.id, with: error)
    }

    /// Refuses a request that the peer should not have sent.
    func refuse(_ request: BLIPIncomingRequest, logging error: SyncError) {
        log.warning("\(request.profile): \(error)")
        refuse(request, with: error)
    }

    func refuse(
        _ id: BLIPRequestID?,
        with error: SyncError,
        properties: BLIPProperties = BLIPProperties()
    ) {
        let code = error.toldCode
        var reply = BLIPReply.error(
            domain: code.domainName,
            code: code.number,
            message: error.toldMessage
        )
        reply.properties.append(contentsOf: properties)
        answer(id, with: reply)
    }
}
