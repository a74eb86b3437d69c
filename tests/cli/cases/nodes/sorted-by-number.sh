ubiheap nodes -s rawSize -n 4 -c rawSize,displayName tiny-before.fxsnapshot
