ubiheap statistics --json tiny-before.fxsnapshot
