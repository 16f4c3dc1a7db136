internal import CFuse
internal import Glibc

// Open files: OPEN and CREATE to RELEASE.

func handleOpen(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let number = try session.inodes.number(of: node)
        let caller = request.caller
        let flags = info!.pointee.flags
        if number.isControl, let control = session.control {
            let (file, caching) = try control.open(
                number, forWriting: flags & O_ACCMODE != O_RDONLY, caller: caller)
            info!.pointee.fh = session.handles.add(file, isControl: true)
            info!.pointee.allow(caching, isFlushed: true)
            _ = session.inodes.countOpen(of: node) { nil }
            // A kernel that did not get the handle sends no RELEASE for it.
            if fuse_reply_open(request.raw, info) != 0 {
                session.release(info!.pointee.fh, of: node)
            }
            return
        }
        let (file, caching) = try session.namespace.open(number, flags: flags, caller: caller) {
            () throws(DocFSError) in
            // The file may have gone meanwhile, and its number with its inode to a new one.
            guard try session.inodes.number(of: node) == number else { throw .stale }
        }
        if flags & O_TRUNC != 0 { try session.dropSetID(from: file, for: caller) }
        info!.pointee.fh = session.handles.add(file)
        let reach = try session.admit(file, caching, as: info!.pointee.fh, to: node)
        if !session.reply(reach, to: request, info!) {
            session.release(info!.pointee.fh, of: node)
        }
    }
}

func handleCreate(
    _ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?, _ mode: mode_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let (result, file, caching) = try session.namespace.create(
            name, in: try session.writable(parent), mode: mode,
            flags: info!.pointee.flags, caller: request.caller)
        guard let attributes = result.attributes else {
            session.namespace.close(file)
            throw .stale
        }
        info!.pointee.fh = session.handles.add(file)
        let node = session.remember(attributes, name, in: parent)
        let reach: Session.Reach
        do throws(DocFSError) {
            reach = try session.admit(file, caching, as: info!.pointee.fh, to: node)
        } catch {
            session.inodes.forget(node)
            throw error
        }
        var entry = fuse_entry_param(
            node: node, attributes: attributes, validity: result.validity)
        if !session.reply(reach, to: request, &entry, info!) {
            session.release(info!.pointee.fh, of: node)
            session.inodes.forget(node)
        }
    }
}

func handleRelease(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        session.release(info!.pointee.fh, of: node)
        request.succeed()
    }
}

func handleRead(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ size: Int, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let handle = info!.pointee.fh
        let offset = UInt64(offset)
        if HandleTable.isControl(handle) {
            guard let control = session.control else { throw .badHandle }
            let file = HandleTable.control(handle)
            let answer = try control.read(
                file, at: offset, length: size,
                isNonBlocking: info!.pointee.flags & O_NONBLOCK != 0)
            session.answer(request, answer, handle: file)
        } else {
            let file = HandleTable.object(handle, as: OpenFile.self)
            let answer = try session.namespace.read(file, at: offset, length: size)
            session.answer(request, answer, handle: file)
        }
    }
}

func handleWrite(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ data: UnsafeMutablePointer<fuse_bufvec>?,
    _ offset: off_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let file = try openFile(info)
        // The pages of a mapping have their places, also where the handle appends.
        let appends = info!.pointee.flags & O_APPEND != 0 && info!.pointee.writepage == 0
        // Where others write into the file too, its end is not where the kernel takes it to be.
        let seeksEnd = appends && (file.number.isLocal || file.content?.isWrittenOutside == true)
        var place = UInt64(offset)
        if appends, !seeksEnd { place = try session.namespace.end(of: file, insteadOf: place) }
        var droppedSetID = false
        let written = try session.namespace.write(
            file, at: place, length: fuse_buf_size(data)
        ) { descriptor throws(DocFSError) in
            let count =
                seeksEnd
                ? docfs_append_buf(data, descriptor)
                : docfs_write_buf(data, descriptor, off_t(place))
            if count < 0 { throw Posix.error(for: Int32(-count)) }
            if session.dropsSetID(for: file.caller) {
                droppedSetID = try SetID.drop(from: descriptor)
            }
            return count
        }
        if place != UInt64(offset) { session.contentChanged(of: file.number) }
        if droppedSetID { session.attributesChanged(of: file.number) }
        request.reply(written: written)
    }
}

func handleFlush(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        if !HandleTable.isControl(info!.pointee.fh) {
            try session.namespace.flush(try openFile(info))
        }
        request.succeed()
    }
}

func handleSync(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ dataOnly: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        try session.namespace.sync(try openFile(info), dataOnly: dataOnly != 0)
        request.succeed()
    }
}

func handleAllocate(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ mode: Int32, _ offset: off_t, _ length: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let file = try openFile(info)
        try session.namespace.allocate(
            file, mode: mode, offset: UInt64(offset), length: UInt64(length))
        try session.dropSetID(from: file, for: request.caller)
        request.succeed()
    }
}

func handleSeek(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ offset: off_t, _ whence: Int32,
    _ info: UnsafeMutablePointer<fuse_file_info>?
) {
    serve(raw) { session, request throws(DocFSError) in
        // lseek(2) for a place that tells no holes: all of it is data then.
        if HandleTable.isControl(info!.pointee.fh) { throw .invalidArgument }
        guard offset >= 0 else { throw .noMoreData }
        let position = try session.namespace.seek(
            try openFile(info), offset: UInt64(offset), whence: whence)
        fuse_reply_lseek(request.raw, off_t(position))
    }
}

func handleCopyRange(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ offset: off_t,
    _ info: UnsafeMutablePointer<fuse_file_info>?, _ newNode: fuse_ino_t, _ newOffset: off_t,
    _ newInfo: UnsafeMutablePointer<fuse_file_info>?, _ length: Int, _ flags: Int32
) {
    serve(raw) { session, request throws(DocFSError) in
        // `.docfs` gives no descriptors away: the kernel then copies by reading and writing.
        if HandleTable.isControl(info!.pointee.fh) { throw .notOffered }
        // The reply counts in 32 bits; a shorter copy is as good (copy_file_range(2)).
        let file = try openFile(newInfo)
        let copied = try session.namespace.copyRange(
            from: try openFile(info), at: UInt64(offset), to: file,
            at: UInt64(newOffset), length: UInt64(min(length, 1 << 30)))
        try session.dropSetID(from: file, for: request.caller)
        request.reply(written: Int(copied))
    }
}

func handlePoll(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ info: UnsafeMutablePointer<fuse_file_info>?,
    _ kernel: OpaquePointer?
) {
    serve(raw) { session, request throws(DocFSError) in
        let handle = info!.pointee.fh
        let wake = kernel.map { session.pollers.add($0) }
        guard HandleTable.isControl(handle), let control = session.control else {
            // A document is always ready, as on any disk. Never ENOSYS: the kernel would not ask
            // again, for `.docfs/events` neither.
            wake?()
            fuse_reply_poll(request.raw, UInt32(POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM))
            return
        }
        let isReady = control.poll(HandleTable.control(handle), wake: wake)
        fuse_reply_poll(request.raw, isReady ? UInt32(POLLIN | POLLRDNORM) : 0)
    }
}

/// The scope's open file behind a handle.
private func openFile(_ info: UnsafeMutablePointer<fuse_file_info>?) throws(DocFSError) -> OpenFile
{
    guard let info, !HandleTable.isControl(info.pointee.fh) else { throw .notPermitted }
    return HandleTable.object(info.pointee.fh, as: OpenFile.self)
}
