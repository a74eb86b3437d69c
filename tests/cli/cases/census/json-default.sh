ubiheap census --json two.fxsnapshot
