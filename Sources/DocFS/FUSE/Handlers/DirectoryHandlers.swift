internal import CFuse
internal import Glibc

// Listings: OPENDIR to RELEASEDIR.

func handleOpenDirectory(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        if number.isControl, let control = session.control {
            info!.pointee.fh = session.handles.add(
                try control.openDirectory(number), isControl: true)
        } else {
            info!.pointee.fh = session.handles.add(try session.namespace.openDirectory(number))
        }
        if fuse_reply_open(request.raw, info) != 0 { session.releaseDirectory(info!.pointee.fh) }
    }
}

func handleReleaseDirectory(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        session.releaseDirectory(info!.pointee.fh)
        request.succeed()
    }
}

func handleSyncDirectory(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ dataOnly: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        if !number.isControl { try session.namespace.syncDirectory(number) }
        request.succeed()
    }
}

func handleList(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    list(raw, node, size, offset, info, withAttributes: false)
}

func handleListWithAttributes(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    list(raw, node, size, offset, info, withAttributes: true)
}

private func list(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?, withAttributes: Bool
) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        let buffer = ListingBuffer(
            request, size: size, of: withAttributes ? node : nil, session: session)
        var offset = UInt64(offset)
        if buffer.addDots(of: number, from: &offset) {
            let cookie = ListingCookie.cookie(for: offset)
            try session.list(
                info!.pointee.fh, from: cookie, withAttributes: withAttributes
            ) { buffer.add($0) }
        }
        if !request.reply(buffer.filled) { buffer.takeBackCounts() }
    }
}
