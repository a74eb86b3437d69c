cp two.fxsnapshot "$(printf "a\033[2Jb\nc")"
ubiheap info "$(printf "a\033[2Jb\nc")" | sed 1q
