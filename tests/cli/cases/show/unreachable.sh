id=$(ubiheap nodes -c distance,id unreachable.fxsnapshot | grep "^-" | head -n 1 | cut -f 2)
ubiheap show --limit 3 unreachable.fxsnapshot "$id"
