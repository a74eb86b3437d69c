ubiheap --json info tiny-before.fxsnapshot
