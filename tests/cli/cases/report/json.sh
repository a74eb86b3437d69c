ubiheap report --json two.fxsnapshot
