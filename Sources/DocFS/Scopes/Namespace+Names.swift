/// Making, removing and renaming.
extension Namespace {
    package func makeNode(
        _ name: Name, in parent: FileNumber, mode: UInt32, device: UInt64, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try refuseTaken(name, in: parent)
        if parent.isLocal {
            return try local.makeNode(name, in: parent, mode: mode, device: device, caller: caller)
        }
        return try cloud(changing: parent).makeNode(
            name, in: parent, mode: mode, device: device, caller: caller)
    }

    package func makeDirectory(
        _ name: Name, in parent: FileNumber, mode: UInt32, caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try refuseTaken(name, in: parent)
        if parent.isLocal {
            return try local.makeDirectory(name, in: parent, mode: mode, caller: caller)
        }
        return try cloud(changing: parent).makeDirectory(
            name, in: parent, mode: mode, caller: caller)
    }

    package func makeSymlink(
        _ name: Name, in parent: FileNumber, target: [UInt8], caller: Caller
    ) throws(DocFSError) -> LookupResult {
        try refuseTaken(name, in: parent)
        if parent.isLocal {
            return try local.makeSymlink(name, in: parent, target: target, caller: caller)
        }
        return try cloud(changing: parent).makeSymlink(
            name, in: parent, target: target, caller: caller)
    }

    /// The root takes nothing; a name that an incoming document has is taken.
    private func refuseTaken(_ name: Name, in parent: FileNumber) throws(DocFSError) {
        try refuseRoot(parent)
        if parent.isLocal, try transfers.incoming(name, in: parent) != nil { throw .exists }
    }

    package func link(_ number: FileNumber, as name: Name, in parent: FileNumber)
        throws(DocFSError) -> LookupResult
    {
        try refuseTaken(name, in: parent)
        guard number.isLocal, parent.isLocal else { throw .notPermitted }
        return try local.link(number, as: name, in: parent)
    }

    package func unlink(_ name: Name, in parent: FileNumber, caller: Caller) throws(DocFSError) {
        try refuseRoot(parent)
        if parent.isLocal {
            if try transfers.removeIncoming(name, in: parent, isDirectory: false) { return }
            try local.unlink(name, in: parent)
            return transfers.noteRemoval(of: name, in: parent)
        }
        try cloud(changing: parent).unlink(name, in: parent, caller: caller)
    }

    package func removeDirectory(_ name: Name, in parent: FileNumber, caller: Caller)
        throws(DocFSError)
    {
        try refuseRoot(parent)
        if parent.isLocal {
            if try transfers.removeIncoming(name, in: parent, isDirectory: true) { return }
            if transfers.hasIncoming,
                let number = try local.lookup(name, in: parent).attributes?.number,
                try !transfers.incoming(in: number).isEmpty
            {
                throw .notEmpty
            }
            return try local.removeDirectory(name, in: parent)
        }
        try cloud(changing: parent).removeDirectory(name, in: parent, caller: caller)
    }

    /// rename(2), within a scope or across (S24, S25).
    package func rename(
        _ name: Name, in parent: FileNumber, to newName: Name, in newParent: FileNumber,
        mode: RenameMode, caller: Caller
    ) throws(DocFSError) {
        try refuseRoot(parent)
        try refuseRoot(newParent)
        let move = Transfers.Move(
            name: name, parent: parent, newName: newName, newParent: newParent, mode: mode,
            caller: caller)
        switch (parent.isLocal, newParent.isLocal) {
        case (true, true):
            if try transfers.renameIncoming(move) { return }
            try transfers.refuseAwaited(move)
            try local.rename(name, in: parent, to: newName, in: newParent, mode: mode)
            transfers.noteRename(move)
        case (true, false):
            try transfers.moveIn(move, to: cloud(changing: newParent))
        case (false, true):
            try transfers.moveOut(move, from: cloud(changing: parent))
        case (false, false):
            let scope = try cloud(changing: parent)
            let newScope = try cloud(changing: newParent)
            if scope.id == newScope.id {
                try scope.rename(
                    name, in: parent, to: newName, in: newParent, mode: mode, caller: caller)
            } else {
                try transfers.moveAcross(move, from: scope, to: newScope)
            }
        }
    }
}
