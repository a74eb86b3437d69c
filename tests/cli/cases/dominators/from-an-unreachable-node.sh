id=$(ubiheap nodes -c distance,id unreachable.fxsnapshot | grep "^-" | head -n 1 | cut -f 2)
ubiheap dominators --node "$id" unreachable.fxsnapshot
ubiheap dominators --json --node "$id" unreachable.fxsnapshot
