# The shim itself: what it is asked to break breaks, and nothing else (fault_probe.c).
. "$(dirname "$0")/../cli/cli.sh"
# faulty CALLS AT WHAT [VARIABLE=...]
faulty() {
    rm -rf probe* trace.txt
    env FAULT_PATH="$PWD" FAULT_TRACE="$PWD/trace.txt" FAULT_CALLS="$1" FAULT_AT="$2" FAULT_DO="$3" "${@:4}" \
        LD_PRELOAD="$FAULT_SHIM" "$FAULT_PROBE"
}
whole=^0123456789abcdefghij$
expect 0 $whole '' -- faulty open,create,write,sync,read,close,stat,rename,remove '' EIO
sed -i "s|$PWD/||" trace.txt
printf '%s\n' 'create probe' 'write probe' 'write probe' 'sync probe' 'read probe' 'close probe' 'stat probe' \
    'rename probe-2' 'create probe-2' 'write probe-2' 'close probe-2' 'remove probe-2' | grep -n . | tr : ' ' >wanted.txt
expect 0 '' '' -- diff wanted.txt trace.txt
for point in create:1:EACCES:Permission create:2:EMFILE:'fopen: Too many' write:2:ENOSPC:'No space' write:3:EIO:fputs \
    sync:1:EIO:'Input/output' rename:1:EXDEV:'ross-device' close:1:EIO:'close: Input' close:2:EIO:fputs \
    stat:1:ESTALE:Stale remove:1:EROFS:Read-only memory:1:ENOMEM:'fopen: Cannot allocate'; do
    IFS=: read -r call at how said <<<"$point"
    expect 1 '' "$said" -- faulty $call $at $how
    expect 0 '' '' -- grep -q ' !$' trace.txt
done
expect 0 $whole '' -- faulty write 2 short
expect 0 '^4 write' '' -- cat trace.txt
expect 0 $whole '' -- faulty read 1 short
expect 0 $whole '' -- faulty write,read 1 EINTR
expect 137 '' '*' -- faulty write 2 kill
expect 0 '^0123456789$' '' -- cat probe
expect 137 '' '*' -- faulty write 2 kill-after
expect 0 '^0123456789abcde$' '' -- cat probe
expect 1 '' 'No space' -- faulty write 2 ENOSPC FAULT_ON=1
expect 0 $whole '' -- faulty write 1 EIO FAULT_PATH=/another/folder
expect 99 '' 'no such errno' -- faulty write 1 EWRONG
finish
