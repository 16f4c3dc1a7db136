internal import CFuse
internal import Glibc

// LOOKUP, FORGET and everything that makes, removes or moves names. The kernel holds the
// directory's lock until we answer: nothing here waits.

/// Answers a lookup or creation, and takes the count back when the kernel did not get it.
private func reply(
    _ request: Request, _ result: LookupResult, _ name: Name, _ parent: fuse_ino_t,
    in session: Session
) {
    guard let attributes = result.attributes else {
        var entry = fuse_entry_param(absentFor: result.validity)
        fuse_reply_entry(request.raw, &entry)
        return
    }
    let node = session.remember(attributes, name, in: parent)
    var entry = fuse_entry_param(
        node: node, attributes: attributes, validity: result.validity)
    if fuse_reply_entry(request.raw, &entry) != 0 { session.inodes.forget(node) }
}

func handleLookup(_ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let result = try session.lookup(name, in: try session.inodes.number(of: parent))
        reply(request, result, name, parent, in: session)
    }
}

func handleForget(_ raw: fuse_req_t?, _ node: fuse_ino_t, _ count: UInt64) {
    serve(raw) { session, request throws(DocFSError) in
        session.inodes.forget(node, count)
        request.end()
    }
}

func handleForgetMulti(
    _ raw: fuse_req_t?, _ count: Int, _ forgets: UnsafeMutablePointer<fuse_forget_data>?
) {
    serve(raw) { session, request throws(DocFSError) in
        for forget in UnsafeBufferPointer(start: forgets, count: count) {
            session.inodes.forget(forget.ino, forget.nlookup)
        }
        request.end()
    }
}

func handleMakeNode(
    _ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?, _ mode: mode_t,
    _ device: dev_t
) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let result = try session.namespace.makeNode(
            name, in: try session.writable(parent), mode: mode, device: UInt64(device),
            caller: request.caller)
        reply(request, result, name, parent, in: session)
    }
}

func handleMakeDirectory(
    _ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?, _ mode: mode_t
) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let result = try session.namespace.makeDirectory(
            name, in: try session.writable(parent), mode: mode, caller: request.caller)
        reply(request, result, name, parent, in: session)
    }
}

func handleMakeSymlink(
    _ raw: fuse_req_t?, _ target: UnsafePointer<CChar>?, _ parent: fuse_ino_t,
    _ text: UnsafePointer<CChar>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let bytes = UnsafeRawBufferPointer(start: target, count: strlen(target!))
        let result = try session.namespace.makeSymlink(
            name, in: try session.writable(parent), target: Array(bytes),
            caller: request.caller)
        reply(request, result, name, parent, in: session)
    }
}

func handleLink(
    _ raw: fuse_req_t?, _ node: fuse_ino_t, _ newParent: fuse_ino_t,
    _ text: UnsafePointer<CChar>?
) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let result = try session.namespace.link(
            try session.writable(node), as: name, in: try session.writable(newParent))
        reply(request, result, name, newParent, in: session)
    }
}

func handleUnlink(_ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?) {
    serve(raw) { session, request throws(DocFSError) in
        let name = try name(text)
        let directory = try session.inodes.number(of: parent)
        if directory.isControl {
            guard let control = session.control else { throw DocFSError.notPermitted }
            try control.unlink(name, in: directory, caller: request.caller)
        } else {
            try session.namespace.unlink(name, in: directory, caller: request.caller)
        }
        request.succeed()
    }
}

func handleRemoveDirectory(
    _ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?
) {
    serve(raw) { session, request throws(DocFSError) in
        try session.namespace.removeDirectory(
            try name(text), in: try session.writable(parent), caller: request.caller)
        request.succeed()
    }
}

func handleRename(
    _ raw: fuse_req_t?, _ parent: fuse_ino_t, _ text: UnsafePointer<CChar>?,
    _ newParent: fuse_ino_t, _ newText: UnsafePointer<CChar>?, _ flags: UInt32
) {
    serve(raw) { session, request throws(DocFSError) in
        let oldName = try name(text)
        let newName = try name(newText)
        let mode = try RenameMode(flags: flags)
        let source = try session.inodes.number(of: parent)
        let destination = try session.writable(newParent)
        if source.isControl, let control = session.control {
            if mode == .exchange { throw .notPermitted }
            try control.restore(
                oldName, in: source, as: newName, in: destination,
                isReplacing: mode == .replace, caller: request.caller)
        } else {
            try session.namespace.rename(
                oldName, in: source, to: newName, in: destination, mode: mode,
                caller: request.caller)
        }
        request.succeed()
    }
}
