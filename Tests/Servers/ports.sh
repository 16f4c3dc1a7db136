# shellcheck shell=bash
# What the servers' scripts share. Sourced, never run.

# N ports of loopback that nobody listens at now, in one line.
free_ports() {
    python3 -IS - "$1" <<'PYTHON'
import socket, sys

sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(socket.getsockname()[1] for socket in sockets))
PYTHON
}

answers() { curl --silent --output /dev/null --max-time 5 "$1"; }

# Waits until a command succeeds, up to so many seconds.
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.1
    done
}
