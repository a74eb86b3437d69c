ubiheap strings --json two.fxsnapshot
