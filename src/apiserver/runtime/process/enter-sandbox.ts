/**
 * Runs as the first process of a sandbox that `unshare` created: builds a root as its arguments say, enters it and
 * becomes the program. A constant: what a pod says comes as arguments, never as part of the text. sh -c ENTER_SANDBOX
 * sh ROOT (KIND IDENTITY SOURCE TARGET)... -- WORKDIR PROGRAM ARGUMENT...
 */
export const ENTER_SANDBOX = `set -eu
new=$1
shift

# Binds keep the rights of what they show; each mount below has to be made read-only by itself.
protect() {
  while IFS=' ' read -r _ _ _ _ point options _; do
    case $point in *\\\\*) point=$(printf '%b' "$point") ;; esac
    case $point in
      "$1" | "$1"/*)
        case $options in
          ro | ro,*) ;;
          *) mount -n -o "remount,bind,ro\${options#rw}" "$point" ;;
        esac ;;
    esac
  done < /proc/self/mountinfo
}

folder() {
  [ -d "$1" ] || mkdir -p "$1"
}

mount -n -t tmpfs -o mode=0755 argosy "$new"
while [ "$1" != -- ]; do
  kind=$1
  identity=$2
  from=$3
  to=$new$4
  shift 4
  case $kind in
    folder) folder "$to" ;;
    copy) cp -L "$from" "$to" ;;
    link) ln -s "$from" "$to" ;;
    empty)
      folder "$to"
      mount -n -t tmpfs -o mode=1777 argosy "$to" ;;
    proc)
      folder "$to"
      mount -n -t proc proc "$to"
      for part in sys sysrq-trigger irq bus; do
        if [ -e "$to/$part" ]; then
          mount -n --bind "$to/$part" "$to/$part"
          protect "$to/$part"
        fi
      done ;;
    devices)
      # Not a place where everybody may write: Linux lets nobody open devices of others there.
      folder "$to"
      for name in null zero full random urandom tty; do
        if [ -e "$from/$name" ]; then
          : > "$to/$name"
          mount -n --bind "$from/$name" "$to/$name"
        fi
      done
      # Terminals of its own; not every kernel has them, and programs without one run all the same.
      mkdir "$to/pts"
      mount -n -t devpts -o newinstance,ptmxmode=0666,mode=0620 argosy "$to/pts" 2>/dev/null || true
      ln -s pts/ptmx "$to/ptmx"
      ln -s /proc/self/fd "$to/fd"
      for name in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/\${name%:*}" "$to/\${name#*:}"; done ;;
    read | write)
      if [ -d "$from" ]; then folder "$to"; else
        folder "\${to%/*}"
        [ -e "$to" ] || : > "$to"
      fi
      mount -n --rbind "$from" "$to"
      # Whoever writes to a volume may have put another thing in its place since it was looked at.
      if [ -n "$identity" ] && [ "$(stat -c %d:%i "$to")" != "$identity" ]; then
        echo "a volume was changed while it was mounted" >&2
        exit 125
      fi
      if [ $kind = read ]; then protect "$to"; fi ;;
  esac
done
shift
mkdir "$new/.old"
cd "$new"
pivot_root . .old
umount -n -l /.old
rmdir /.old
mkdir -p "$1" 2>/dev/null || true
cd "$1"
shift
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all -- "$@"
`;
