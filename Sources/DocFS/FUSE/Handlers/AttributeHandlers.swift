internal import CFuse
internal import Glibc

// What stat(2), chmod(2) and their like, statvfs(3), readlink(2) and xattr(7) ask.

func handleAttributes(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let result = try session.withNumber(of: node) { (number) throws(DocFSError) in
            if number.isControl, let control = session.control {
                return try control.attributes(of: number)
            }
            return try session.namespace.attributes(of: number, through: file(info))
        }
        request.reply(attributes: result)
    }
}

func handleSetAttributes(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ wanted: UnsafeMutablePointer<stat>?,
    _ fields: Int32, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let caller = request.caller
        let file = file(info)
        var change = AttributeChange(wanted!.pointee, fields: fields)
        let namespace = session.namespace
        let result = try session.withNumber(of: node) { (number) throws(DocFSError) in
            if number.isControl { throw .notPermitted }
            if change.size != nil, change.mode == nil, session.dropsSetID(for: caller) {
                let mode = try namespace.attributes(of: number, through: file).attributes?.mode
                change.mode = mode.flatMap(SetID.dropped)
            }
            return try namespace.setAttributes(of: number, change, through: file, caller: caller)
        }
        request.reply(attributes: result)
    }
}

/// The open file behind a handle, when the request came through one of a scope.
private func file(_ info: UnsafeMutablePointer<fuse_file_info>?) -> OpenFile? {
    guard let info, !HandleTable.isControl(info.pointee.fh) else { return nil }
    return HandleTable.object(info.pointee.fh, as: OpenFile.self)
}

func handleReadLink(_ raw: fuse_req_t?, _ node: fuse_ino_t) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        if number.isControl, let control = session.control {
            request.reply(try control.readLink(number))
        } else {
            request.reply(try session.namespace.readLink(number))
        }
    }
}

func handleStatistics(_ raw: fuse_req_t?, _ node: fuse_ino_t) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        let statistics = try session.namespace.statistics(of: number.isControl ? .root : number)
        var status = statistics.status
        fuse_reply_statfs(request.raw, &status)
    }
}

// MARK: Extended attributes

/// Answers at once what is never kept: the kernel asks for `security.capability` and for ACLs on
/// every other call.
///
/// Never ENOSYS, which would turn all attributes off for the whole mount.
private func refuseForeign(_ name: UnsafePointer<CChar>, absent: DocFSError) throws(DocFSError) {
    if strncmp(name, "system.", 7) == 0 { throw .notOffered }
    if strncmp(name, "security.", 9) == 0 { throw absent }
}

/// Whether an attribute is answered by the Control room, and never kept.
private func isOurs(_ name: UnsafePointer<CChar>) -> Bool { strncmp(name, "user.docfs.", 11) == 0 }

func handleGetExtendedAttribute(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ name: UnsafePointer<CChar>?, _ size: Int
) {
    serve(raw) { session, request throws(DocFSError) in
        try refuseForeign(name!, absent: .noSuchAttribute)
        let name = name!
        let value = try session.withNumber(of: node) { (number) throws(DocFSError) in
            if number.isControl { throw .noSuchAttribute }
            if let control = session.control, isOurs(name) {
                return try control.documentAttribute(String(cString: name), of: number)
            }
            return try session.namespace.extendedAttribute(
                String(cString: name), of: number, caller: request.caller)
        }
        request.reply(attributeBytes: value, size: size)
    }
}

func handleSetExtendedAttribute(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ name: UnsafePointer<CChar>?,
    _ value: UnsafePointer<CChar>?, _ size: Int, _ flags: Int32
) {
    serve(raw) { session, request throws(DocFSError) in
        try refuseForeign(name!, absent: .notOffered)
        let bytes = Array(UnsafeRawBufferPointer(start: value, count: size))
        let (name, isOurs) = (String(cString: name!), isOurs(name!))
        try session.withNumber(of: node) { (number) throws(DocFSError) in
            if number.isControl { throw .notPermitted }
            if let control = session.control, isOurs {
                return try control.setDocumentAttribute(
                    name, of: number, value: bytes, caller: request.caller)
            }
            try session.namespace.setExtendedAttribute(
                name, of: number, value: bytes, flags: flags, caller: request.caller)
        }
        request.succeed()
    }
}

func handleListExtendedAttributes(_ raw: fuse_req_t?, _ node: fuse_ino_t, _ size: Int) {
    serve(raw) { session, request throws(DocFSError) in
        let names = try session.withNumber(of: node) { (number) throws(DocFSError) in
            number.isControl ? [] : try session.namespace.extendedAttributeNames(of: number)
        }
        request.reply(attributeBytes: names.flatMap { Array($0.utf8) + [0] }, size: size)
    }
}

func handleRemoveExtendedAttribute(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ name: UnsafePointer<CChar>?
) {
    serve(raw) { session, request throws(DocFSError) in
        try refuseForeign(name!, absent: .noSuchAttribute)
        if isOurs(name!) { throw .notPermitted }
        let name = String(cString: name!)
        try session.withNumber(of: node) { (number) throws(DocFSError) in
            if number.isControl { throw .notPermitted }
            try session.namespace.removeExtendedAttribute(
                name, of: number, caller: request.caller)
        }
        request.succeed()
    }
}
